#include <dlfcn.h>
#include <nvrtc.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "ketmesh/kernels/cuda/compiler.hpp"

namespace ketmesh::kernels::cuda {
namespace {

constexpr double kCompileSeconds = 0.5;     // of one kernel, about
constexpr std::size_t kMostKernels = 1024;  // kept
constexpr unsigned kMostThreads = 8;

enum class Mode { never, automatic, always };

Mode mode() {
  const char* text = std::getenv("KETMESH_CUDA_COMPILE");
  const std::string value = text != nullptr ? text : "";
  return value == "never" ? Mode::never : value == "always" ? Mode::always : Mode::automatic;
}

/// libnvrtc: the functions that are needed; without them everything is interpreted.
struct Nvrtc {
  decltype(&nvrtcCreateProgram) create = nullptr;
  decltype(&nvrtcCompileProgram) compile = nullptr;
  decltype(&nvrtcDestroyProgram) destroy = nullptr;
  decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  bool found = false;

  Nvrtc() {
    const char* chosen = std::getenv("KETMESH_NVRTC_LIBRARY");
    void* library = nullptr;
    if (chosen != nullptr && *chosen != '\0') {
      library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    } else {
      for (const char* name :
           {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"})
        if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == nullptr) return;
    const auto get = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    };
    get(create, "nvrtcCreateProgram");
    get(compile, "nvrtcCompileProgram");
    get(destroy, "nvrtcDestroyProgram");
    get(cubin_size, "nvrtcGetCUBINSize");
    get(cubin, "nvrtcGetCUBIN");
    found = create != nullptr && compile != nullptr && destroy != nullptr && cubin_size != nullptr && cubin != nullptr;
  }
};

const Nvrtc& nvrtc() {
  static const Nvrtc loaded;
  return loaded;
}

/// Machine code; empty when the compiler refuses.
std::vector<char> compiled(const std::string& source, int capability) {
  std::vector<char> out;
  nvrtcProgram program = nullptr;
  if (nvrtc().create(&program, source.c_str(), "tile_pass.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return out;
  const std::string architecture = "--gpu-architecture=sm_" + std::to_string(capability);
  // With more optimisation the assembler loads the parameters again and again: a fifth more instructions.
  const char* options[] = {architecture.c_str(), "--std=c++17", "--ptxas-options=-O1"};
  std::size_t bytes = 0;
  if (nvrtc().compile(program, 3, options) == NVRTC_SUCCESS && nvrtc().cubin_size(program, &bytes) == NVRTC_SUCCESS && bytes > 0) {
    out.resize(bytes);
    if (nvrtc().cubin(program, out.data()) != NVRTC_SUCCESS) out.clear();
  }
  nvrtc().destroy(&program);
  return out;
}

}  // namespace

class OwnKernel {
 public:
  OwnKernel() = default;
  OwnKernel(const OwnKernel&) = delete;
  OwnKernel& operator=(const OwnKernel&) = delete;
  ~OwnKernel() {
    if (library != nullptr) cudaLibraryUnload(library);
  }
  enum class State { idle, queued, compiled, loaded, failed };
  std::string source;
  int capability = 0;
  State state = State::idle;
  double interpreted_seconds = 0;
  std::vector<char> code;
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
};

namespace {

/// All kernels of the process and the threads that compile them.
class Kernels {
 public:
  ~Kernels() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      queue_.clear();
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  std::shared_ptr<OwnKernel> find(const char* source, int capability) {
    const std::lock_guard lock(mutex_);
    const std::string key = std::to_string(capability) + source;
    std::shared_ptr<OwnKernel>& found = kernels_[key];
    if (found == nullptr) {
      if (kernels_.size() > kMostKernels) {  // passes keep what they hold
        kernels_.clear();
        return nullptr;
      }
      found = std::make_shared<OwnKernel>();
      found->source = source;
      found->capability = capability;
    }
    return found;
  }

  void begin(const std::shared_ptr<OwnKernel>& kernel) {
    const std::lock_guard lock(mutex_);
    if (kernel->state == OwnKernel::State::idle) start(kernel);
  }

  cudaKernel_t ready(const std::shared_ptr<OwnKernel>& held, double seconds, bool wait) {
    OwnKernel& kernel = *held;
    std::unique_lock lock(mutex_);
    if (kernel.state == OwnKernel::State::idle) {
      kernel.interpreted_seconds += seconds;
      if (!wait && kernel.interpreted_seconds < kCompileSeconds) return nullptr;
      start(held);
    }
    if (wait) done_.wait(lock, [&] { return kernel.state != OwnKernel::State::queued; });
    if (kernel.state == OwnKernel::State::compiled) load(kernel);
    return kernel.state == OwnKernel::State::loaded ? kernel.kernel : nullptr;
  }

 private:
  void start(const std::shared_ptr<OwnKernel>& kernel) {
    kernel->state = OwnKernel::State::queued;
    queue_.push_back(kernel);
    const unsigned most = std::min(kMostThreads, std::max(1u, std::thread::hardware_concurrency() / 2));
    if (threads_.size() < most && threads_.size() < queue_.size() + busy_) threads_.emplace_back([this] { work(); });
    wake_.notify_one();
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
      if (ending_) return;
      const std::shared_ptr<OwnKernel> held = queue_.front();
      OwnKernel& kernel = *held;
      queue_.pop_front();
      ++busy_;
      lock.unlock();
      std::vector<char> code = compiled(kernel.source, kernel.capability);
      lock.lock();
      --busy_;
      kernel.state = code.empty() ? OwnKernel::State::failed : OwnKernel::State::compiled;
      kernel.code = std::move(code);
      done_.notify_all();
    }
  }

  static void load(OwnKernel& kernel) {
    kernel.state = OwnKernel::State::failed;
    if (cudaLibraryLoadData(&kernel.library, kernel.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) != cudaSuccess ||
        cudaLibraryGetKernel(&kernel.kernel, kernel.library, "tile_pass") != cudaSuccess) {
      cudaGetLastError();
      return;
    }
    kernel.state = OwnKernel::State::loaded;
    std::vector<char>().swap(kernel.code);
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::unordered_map<std::string, std::shared_ptr<OwnKernel>> kernels_;
  std::deque<std::shared_ptr<OwnKernel>> queue_;
  std::vector<std::thread> threads_;
  std::size_t busy_ = 0;
  bool ending_ = false;
};

Kernels& kernels() {
  static Kernels all;
  return all;
}

}  // namespace

std::shared_ptr<OwnKernel> own_kernel(const char* source, int capability) {
  if (mode() == Mode::never || !nvrtc().found) return nullptr;
  return kernels().find(source, capability);
}

void begin(const std::shared_ptr<OwnKernel>& kernel) { kernels().begin(kernel); }

cudaKernel_t ready(const std::shared_ptr<OwnKernel>& kernel, double seconds) {
  return kernels().ready(kernel, seconds, mode() == Mode::always);
}

}  // namespace ketmesh::kernels::cuda
