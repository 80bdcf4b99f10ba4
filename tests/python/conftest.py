"""What the tests share."""

import numpy as np
import pytest

import ketmesh


@pytest.fixture
def double():
    return ketmesh.SimulatorConfig(precision="double")


@pytest.fixture
def circuit():
    return ketmesh.circuits.QuantumCircuit()


def dense(rows):
    return np.array(rows, dtype=complex)
