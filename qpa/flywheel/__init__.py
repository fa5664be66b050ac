"""The data flywheel: task construction, expert collection, curation, the gate, releases, feedback."""
