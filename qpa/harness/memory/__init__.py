"""Persistent memory: owner-scoped records with provenance, supersession, search and real deletion."""

from qpa.harness.memory.evidence import evidence_block
from qpa.harness.memory.records import Layer, MemoryRecord, MemoryRefused, Owner, Tier
from qpa.harness.memory.search import Hit
from qpa.harness.memory.store import DeletionReport, MemoryStore

__all__ = [
    "DeletionReport",
    "Hit",
    "Layer",
    "MemoryRecord",
    "MemoryRefused",
    "MemoryStore",
    "Owner",
    "Tier",
    "evidence_block",
]
