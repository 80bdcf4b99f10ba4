// Makes the sweeps of one pass: which bits are in registers, ops of gates and phases, tables. Real numbers are written in the precision of the state.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "ketmesh/kernels/gpu/phase_parts.hpp"
#include "ketmesh/kernels/gpu/translate.hpp"

namespace ketmesh::kernels::cuda {

/// Reals of a lifted or dense matrix on one register bit, and what the store must make up for.
struct OneTarget {
  OpKind kind = OpKind::dense1;
  std::vector<double> reals;
  cdouble scale = 1;
};
OneTarget lifted(const cdouble* matrix);

class Translator {
 public:
  Translator(const Pass& pass, const Binding& binding, int local_bits, int real_bytes, int register_bits);
  Translation run();

 private:
  // ---- translate.cpp: sweeps, maps, trips
  void begin_sweep();
  void end_sweep(bool last);
  void assemble();
  void store_small();
  bool rows_are_long(const Map& map, const std::vector<int>& place) const;
  Map transfer_map() const;
  Map transfer_map(const std::vector<int>& registers, const std::vector<int>& place) const;
  void load_as(const Map& map);
  void relane(const Map& map);
  Trip trip_of(const Map& map) const;
  Map map_with(const std::vector<int>& registers) const;
  int register_of(int tile_bit) const;
  void trip(const Map& map);
  std::uint32_t write_map(const Map& map);
  void want_registers(std::span<const std::uint8_t> physical);
  /// Goes on in another sweep, where other bits are in registers, when the image would grow too large.
  void room(std::size_t reals, std::size_t maps, std::size_t groups = 0, std::size_t parts = 0);
  /// `touches`: the register bits that must not be passed by others on the same bits.
  void push(const Op& op, unsigned touches);
  std::uint32_t coefficients(std::span<const double> values);
  std::uint32_t table(std::span<const cdouble> values);
  void put(std::vector<std::byte>& to, std::size_t at, double value) const;

  // ---- translate_matrix.cpp
  struct Controls {
    Index outside_mask = 0, outside_value = 0;
    unsigned thread_mask = 0, thread_value = 0, reg_mask = 0, reg_value = 0;
    bool none() const { return outside_mask == 0 && thread_mask == 0 && reg_mask == 0; }
  };
  Controls controls(Index mask, Index value, bool with_registers) const;
  void set(Op& op, const Controls& c);
  void translate_step(const std::vector<Step>& steps, std::size_t i);
  void make_resident(const std::vector<Step>& steps, std::size_t i);
  void register_matrix(const std::vector<Step>& steps, std::size_t i);
  void one_target(const Step& step);
  void two_targets(const Step& step);
  void flip(const Controls& c, int reg);
  void layer(OpKind kind, int reg, std::span<const double> reals);
  void rescale_if_small();
  void any_op(const Step& step);
  void settle();

  // ---- translate_phases.cpp
  using Fixed = std::vector<std::pair<PhaseCondition, std::uint64_t>>;  // conditions of threads with their angles, the same in every tile
  void wide_diagonal(const PhaseTerm& term);
  void phases(const Step& step);
  void phase_piece(const std::vector<PhaseTerm>& terms);
  PhaseSplit split_terms(const std::vector<PhaseTerm>& terms) const;
  void phase_op(const PhaseSplit& split);
  void fixed_phases(const std::map<unsigned, Fixed>& fixed, std::map<unsigned, Fixed>& left);
  void class_table(const std::map<unsigned, Fixed>& sets, unsigned bits);
  std::uint32_t phase_table(const Fixed& fixed);
  unsigned thread_index(unsigned thread) const;

  const Pass& pass_;
  const Binding& binding_;
  int local_bits_, real_bytes_, register_bits_, tile_bits_;
  bool small_;
  std::array<int, 64> tile_of_{};
  Translation out_;
  // Of the sweep that is being made:
  std::vector<Op> ops_;
  std::vector<unsigned> touches_;  // of each op
  std::vector<Guard> guards_;
  std::vector<std::byte> trips_, coefficients_;
  std::vector<Map> maps_;
  std::vector<PhaseGroup> groups_;
  std::vector<PhasePart> parts_;
  Map current_{};
  std::size_t epoch_ = 0;  // first op under the present map
  bool pending_ = false;   // threads hold factors
  bool phased_ = false;    // the scale is complex
  cdouble scale_ = 1;
};

}  // namespace ketmesh::kernels::cuda
