"""Synthetic text for the base model: copying, recall, JSON, chat frames, signatures. No task of the benchmark."""
