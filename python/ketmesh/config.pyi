# Written by tools/stubs.py; do not edit.
"""SimulatorConfig: where and how a simulation runs."""

from collections.abc import Mapping
from typing import Any

from .enums import SimulationType, SimulatorType

class SimulatorConfig:
    def __init__(
        self,
        *,
        simulator_type: SimulatorType = ...,
        simulation_type: SimulationType = ...,
        precision: str | None = ...,
        seed: int | None = ...,
        gpu_device: int | None = ...,
        distributed_options: Mapping[str, Any] = ...,
        enable_causal_cone_reduction: bool = ...,
        engine: str = ...,
        tile_qubits: int = ...,
        threads: int = ...,
        simd: str = ...,
        machine: str = ...,
        max_bond_dimension: int | None = ...,
        singular_value_threshold: float | None = ...,
        truncation_mode: str | None = ...,
        disable_optimized_swapping: bool = ...,
        lookahead_depth: int = ...,
        mps_sampling: str = ...,
        mps_svd_solver: str | None = ...,
        mpo_svd_solver: str | None = ...,
        tensor_network_svd_solver: str | None = ...,
        mpo_kraus_completeness_check: str | None = ...,
        mpo_restore_trace_after_truncation: bool = ...,
        mpo_hermitize_after_truncation: bool = ...,
        pp_coefficient_threshold: float | None = ...,
        pp_max_pauli_weight: int | None = ...,
        pp_gates_between_trims: int | None = ...,
        pp_gates_between_deduplications: int | None = ...,
        path_integral_threshold: float | None = ...,
        gate_fusion: bool | None = ...,
        enable_observable_clustering: bool = ...,
        max_cluster_qubits: int | None = ...,
        min_cluster_qubits: int | None = ...,
        observable_error_tolerance: float | None = ...,
        enable_sampling_reduction: bool = ...,
        allow_reset_marginalization: bool = ...,
        auto_reduce: bool = ...,
        trajectory_policy: str | None = ...,
        trajectory_max_memory_mb: int | None = ...,
        max_simulators: int | None = ...,
        mps_routing_virtual_bonds: bool = ...,
        mps_routing_truncation_weight: float | None = ...,
    ) -> None: ...
    simulator_type: SimulatorType
    simulation_type: SimulationType
    precision: str | None
    seed: int | None
    gpu_device: int | None
    distributed_options: Mapping[str, Any]
    enable_causal_cone_reduction: bool
    engine: str
    tile_qubits: int
    threads: int
    simd: str
    machine: str
    max_bond_dimension: int | None
    singular_value_threshold: float | None
    truncation_mode: str | None
    disable_optimized_swapping: bool
    lookahead_depth: int
    mps_sampling: str
    mps_svd_solver: str | None
    mpo_svd_solver: str | None
    tensor_network_svd_solver: str | None
    mpo_kraus_completeness_check: str | None
    mpo_restore_trace_after_truncation: bool
    mpo_hermitize_after_truncation: bool
    pp_coefficient_threshold: float | None
    pp_max_pauli_weight: int | None
    pp_gates_between_trims: int | None
    pp_gates_between_deduplications: int | None
    path_integral_threshold: float | None
    gate_fusion: bool | None
    enable_observable_clustering: bool
    max_cluster_qubits: int | None
    min_cluster_qubits: int | None
    observable_error_tolerance: float | None
    enable_sampling_reduction: bool
    allow_reset_marginalization: bool
    auto_reduce: bool
    trajectory_policy: str | None
    trajectory_max_memory_mb: int | None
    max_simulators: int | None
    mps_routing_virtual_bonds: bool
    mps_routing_truncation_weight: float | None
    def __eq__(self, other: object) -> bool: ...
    def __copy__(self) -> SimulatorConfig: ...
    def __deepcopy__(self, memo: Any) -> SimulatorConfig: ...
