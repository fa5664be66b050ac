"""Cold start of Qwen3-8B: its shape with the settings of accelerators. How to launch it: docs/scaling.md.

Command:   python -m launch.sft --config=launch/configs/pod.py --config.base=QWEN3_8B --release=RELEASE --run_dir=RUN
Machine:   8 GPUs of 80 GB as it stands; --config.mesh.fsdp=N for a pod of N chips. Not run on either; a test lowers the
           step for both
"""

from __future__ import annotations

from qpa.config import DataConfig, LoopConfig, MeshConfig, ModelConfig, OptimizerConfig, SFTConfig


def get_config() -> LoopConfig:
    """fp32 masters and AdamW: 12 bytes of state per parameter, 98 GB, split over the fsdp axis."""
    return LoopConfig(
        name="pod",
        run_dir="runs/pod",
        model=ModelConfig(
            vocab_size=151_936,
            d_model=4096,
            n_layers=36,
            n_heads=32,
            n_kv_heads=8,
            head_dim=128,
            d_ff=12_288,
            rope_theta=1_000_000.0,
            tie_embeddings=False,
            attention_blocks=1,
            scan_layers=True,
            remat="full",
        ),
        sft=SFTConfig(
            steps=1000,
            save_every=100,
            compute_dtype="bfloat16",
            loss_chunk=8192,  # 151,936 float32 logits each: 5 GB over all devices
            data=DataConfig(sequence_length=4096, batch_size=64),
            optimizer=OptimizerConfig(name="adamw", adam_learning_rate=1e-5, warmup_steps=50),
        ),
        mesh=MeshConfig(data=1, fsdp=8, tensor=1),
    )
