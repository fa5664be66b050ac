"""Training: mesh, data, SFT (Eq. 4), reinforcement learning with CARE (Eq. 5-10), rollouts and checkpoints."""
