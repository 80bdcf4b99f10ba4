"""Pictures of results, with matplotlib (``pip install matplotlib``). Every function draws into ``ax`` and returns it."""

import math

from .errors import OptionError


def _axes(ax, **figure):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained", **figure)[1]


def histogram(counts, *, most=32, ax=None):
    """Shares of the most frequent outcomes.

    Parameters
    ----------
    counts : dict
        ``execute()["counts"]``, or what ``execute()`` returned.
    most : int
        Outcomes that get a bar of their own; the others share one.
    """
    counts = counts.get("counts", counts)
    total = sum(counts.values())
    if total == 0:
        raise OptionError("histogram: there are no shots")
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = sorted(ranked[:most])
    rest = sum(count for _, count in ranked[most:])
    if rest:
        shown.append((f"{len(ranked) - most} others", rest))
    ax = _axes(ax, figsize=(max(3.0, 0.35 * len(shown) + 1.5), 3.2))
    shares = [count / total for _, count in shown]
    sigma = [math.sqrt(p * (1 - p) / total) for p in shares]
    ax.bar(range(len(shown)), shares, yerr=sigma, color="#3b6ea5", ecolor="#888888", width=0.7)
    ax.set_xticks(range(len(shown)), [key for key, _ in shown], rotation=90 if len(shown) > 4 else 0, family="monospace")
    ax.set_ylabel(f"share of {total} shots")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def state(amplitudes, *, most=32, ax=None):
    """Probabilities of the largest amplitudes as bars, coloured by phase.

    Parameters
    ----------
    amplitudes : array
        All 2**n of them, as ``get_statevector()`` returns; labels have qubit 0 leftmost, as counts do.
    """
    import numpy as np

    values = np.asarray(amplitudes)
    n = int(values.size).bit_length() - 1
    if values.ndim != 1 or values.size != 1 << n:
        raise OptionError(f"state: {values.size} amplitudes are no power of two")
    largest = np.sort(np.argsort(-abs(values), kind="stable")[:most])
    largest = largest[abs(values[largest]) > 1e-12]
    ax = _axes(ax, figsize=(max(3.0, 0.35 * len(largest) + 2.5), 3.2))
    import matplotlib as mpl

    phases = np.angle(values[largest])
    colours = mpl.colormaps["twilight"]((phases + np.pi) / (2 * np.pi))
    ax.bar(range(len(largest)), abs(values[largest]) ** 2, color=colours, edgecolor="#444444", linewidth=0.5)
    labels = [format(int(index), f"0{max(n, 1)}b")[::-1] for index in largest]
    ax.set_xticks(range(len(largest)), labels, rotation=90 if len(largest) > 4 else 0, family="monospace")
    ax.set_ylabel("probability")
    ax.spines[["top", "right"]].set_visible(False)
    scale = mpl.cm.ScalarMappable(mpl.colors.Normalize(-np.pi, np.pi), "twilight")
    bar = ax.figure.colorbar(scale, ax=ax, ticks=[-np.pi, 0, np.pi], label="phase")
    bar.ax.set_yticklabels(["-π", "0", "π"])
    return ax


def timeline(events, *, ax=None):
    """When what ran: one row a track, passes and exchanges as bars.

    Parameters
    ----------
    events : list
        The ``traceEvents`` of ``ketmesh run --trace``, its whole object, or a path to it.
    """
    import json
    import os
    import re

    if isinstance(events, str | os.PathLike):
        with open(events, encoding="utf-8") as file:
            events = json.load(file)
    if isinstance(events, dict):
        events = events["traceEvents"]
    names = {(e.get("pid", 0), e.get("tid", 0)): e["args"]["name"] for e in events if e.get("ph") == "M" and e.get("name") == "thread_name"}
    spans = [e for e in events if e.get("ph") == "X"]
    if not spans:
        raise OptionError("timeline: there are no events")
    rows = sorted({(e.get("pid", 0), e.get("tid", 0)) for e in spans})
    # "pass 2 of 5" is a pass.
    spans = [dict(e, name=re.sub(r" \d+ of \d+$", "", e["name"])) for e in spans]
    kinds = list(dict.fromkeys(e["name"] for e in spans))
    ax = _axes(ax, figsize=(8, 0.5 * len(rows) + 1.5))
    start = min(e["ts"] for e in spans)
    for number, kind in enumerate(kinds):
        for row, key in enumerate(rows):
            bars = [((e["ts"] - start) / 1e3, e["dur"] / 1e3) for e in spans if e["name"] == kind and (e.get("pid", 0), e.get("tid", 0)) == key]
            if bars:
                ax.broken_barh(bars, (row - 0.4, 0.8), color=f"C{number % 10}", edgecolor="white", linewidth=0.5, label=kind)
    handles, labels = ax.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    ax.legend(once.values(), once.keys(), ncols=min(4, len(once)), fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0))
    ax.set_yticks(range(len(rows)), [names.get(key, f"rank {key[0]} track {key[1]}") for key in rows])
    ax.set_xlabel("milliseconds")
    return ax


def scaling(seconds, *, ideal=True, ax=None):
    """Time against the number of devices or ranks.

    Parameters
    ----------
    seconds : dict
        ``{count: seconds}``, or ``{name: {count: seconds}}`` for several lines.
    ideal : bool
        Whether to draw what each line would be if time fell with the count.
    """
    lines = seconds if all(isinstance(value, dict) for value in seconds.values()) else {"": seconds}
    ax = _axes(ax, figsize=(4.5, 3.4))
    for number, (name, line) in enumerate(lines.items()):
        counts = sorted(line)
        ax.plot(counts, [line[c] for c in counts], "o-", color=f"C{number}", label=name or None)
        if ideal:
            ax.plot(counts, [line[counts[0]] * counts[0] / c for c in counts], ":", color=f"C{number}", linewidth=1)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    every = sorted({c for line in lines.values() for c in line})
    ax.set_xticks(every, [str(c) for c in every])
    ax.set_xlabel("devices")
    ax.set_ylabel("seconds")
    if any(lines):
        ax.legend(fontsize="small")
    return ax


def roofline(points, *, bandwidth, flops, ax=None):
    """Flop/s against flops a byte, under the two limits of a machine.

    Parameters
    ----------
    points : dict
        ``{name: (flops, bytes, seconds)}``; a Plan has ``flops``, ``bytes_local`` and ``seconds_evolve``.
    bandwidth, flops : float
        Bytes/s and flop/s that the machine reaches.
    """
    ax = _axes(ax, figsize=(4.8, 3.4))
    found = {name: (work / moved, work / seconds) for name, (work, moved, seconds) in points.items()}
    low = min([x for x, _ in found.values()] + [0.1]) / 2
    high = max([x for x, _ in found.values()] + [2 * flops / bandwidth]) * 2
    ridge = flops / bandwidth
    ax.plot([low, ridge, high], [low * bandwidth, flops, flops], color="#444444")
    for number, (name, (x, y)) in enumerate(found.items()):
        ax.plot(x, y, "o", color=f"C{number % 10}", label=name)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel("flops a byte")
    ax.set_ylabel("flop/s")
    if found:
        ax.legend(fontsize="small")
    return ax
