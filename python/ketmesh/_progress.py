"""Progress of long calls: with tqdm where it is installed, on a terminal only. The library calls show()."""

import sys
import time

_bar = None
_last = 0.0


def show(done, total, what):
    """Called a few times a second by a call that has lasted longer than a second."""
    global _bar, _last
    if not enabled() or total <= 0:
        return
    now = time.monotonic()
    if _bar is not None and (now - _last > 5.0 or done < _bar.n or _bar.total != total):
        close()
    if _bar is None:
        try:
            from tqdm import tqdm
        except ImportError:
            return
        _bar = tqdm(total=total, desc=what, leave=False, file=sys.stderr)
    _last = now
    _bar.update(done - _bar.n)
    if done >= total:
        close()


def close():
    global _bar
    if _bar is not None:
        _bar.close()
        _bar = None


def enabled():
    return sys.stderr is not None and hasattr(sys.stderr, "isatty") and sys.stderr.isatty()
