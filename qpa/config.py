"""Every knob of a run on one page. Plain dataclasses: `launch/configs/*.py` build them, flags override fields.

Sizes are tokens unless said otherwise; a knob nobody reads is a bug; slots make a mistyped one an error. Annotations
stay evaluated (no `__future__` import): the command line reads a field's type to parse its override.
"""

import dataclasses
from dataclasses import dataclass, field


@dataclass(slots=True)
class RopeScaling:
    """Rotary frequencies for contexts longer than the pretraining one; other kinds ignore a kind's own fields."""

    kind: str = "none"  # none | linear | llama3 | yarn; "dynamic" has no fixed frequencies, so no cache can serve it
    factor: float = 1.0  # how much longer
    original_length: int = 8192  # positions of pretraining (llama3, yarn)
    low_freq_factor: float = 1.0  # llama3: waves longer than original_length / this are slowed by the whole factor
    high_freq_factor: float = 4.0  # llama3: waves shorter than original_length / this stay
    beta_fast: float = 32.0  # yarn: frequencies with more turns than this in original_length stay
    beta_slow: float = 1.0  # yarn: with fewer than this they are slowed by the whole factor
    attention_factor: float = 0.0  # yarn: cos and sin are multiplied by it; 0: 0.1 ln(factor) + 1
    truncate: bool = True  # yarn: the ramp begins and ends at whole frequencies


@dataclass(slots=True)
class ModelConfig:
    """Shape of a decoder (GQA, RoPE, SwiGLU): Qwen3 as it stands, Llama without QK-norm, Qwen3-MoE with experts."""

    vocab_size: int = 3072
    d_model: int = 192
    n_layers: int = 4
    n_heads: int = 4
    n_kv_heads: int = 2
    head_dim: int = 48
    d_ff: int = 512
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-6
    tie_embeddings: bool = True
    qk_norm: bool = True  # False: Llama
    rope_scaling: RopeScaling = field(default_factory=RopeScaling)
    n_experts: int = 0  # >0: every MLP is a mixture of experts
    experts_per_token: int = 8
    d_expert: int = 768  # width of one expert; `d_ff` is then without effect
    norm_topk: bool = True  # the chosen experts' weights are scaled to sum to one
    attention_blocks: int = 4  # training: blocks of queries, which skip the keys to their right (faster on CPU)
    scan_layers: bool = False  # training runs one traced layer in a loop: compiles much faster, runs slower on CPU
    remat: str = "none"  # none | full | dots: what the backward pass computes again (nothing, layers, all but products)


@dataclass(slots=True)
class OptimizerConfig:
    """Muon on matrices, AdamW on embeddings and vectors; schedule counted in optimiser updates."""

    name: str = "muon"  # muon | adamw
    learning_rate: float = 0.04  # of Muon; AdamW parameters use `adam_learning_rate`
    adam_learning_rate: float = 6e-3
    weight_decay: float = 0.0
    warmup_steps: int = 20
    final_fraction: float = 0.1  # of the peak rate, reached at the last step (cosine)
    clip_norm: float = 1.0


@dataclass(slots=True)
class LoraConfig:
    """Low-rank adapters beside frozen weights: x W + scale (x A) B."""

    rank: int = 0  # 0: off, every parameter is trained
    alpha: float = 16.0  # scale = alpha / rank
    modules: tuple[str, ...] = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    rslora: bool = False  # scale = alpha / sqrt(rank): updates of one size whatever the rank
    trainable_tokens: tuple[int, ...] = ()  # ids whose rows of a tied embedding are trained too, such as new markers


@dataclass(slots=True)
class DataConfig:
    """How a release becomes batches."""

    sequence_length: int = 512
    batch_size: int = 16  # packed rows per optimiser update, over all devices


@dataclass(slots=True)
class SFTConfig:
    """Cold start (Eq. 4)."""

    steps: int = 300
    log_every: int = 10
    save_every: int = 50
    compute_dtype: str = "float32"  # float32 | bfloat16, of activations and matrix products; all else stays float32
    loss_chunk: int = 0  # supervised tokens whose logits exist at a time, over all devices; 0: of 8 rows
    data: DataConfig = field(default_factory=DataConfig)
    lora: LoraConfig = field(default_factory=LoraConfig)
    optimizer: OptimizerConfig = field(default_factory=OptimizerConfig)


@dataclass(slots=True)
class CareConfig:
    """phi and the fixed parts of CARE (Eq. 5-10); admissible ranges live in `qpa.care.controller`."""

    p_low: float = 0.25
    p_high: float = 0.8
    lambda_prog: float = 0.5
    lambda_eff: float = 0.2
    calibrate: bool = True
    eps_low: float = 0.2
    eps_high: float = 0.28
    controller_every: int = 10  # N of Eq. 6, in policy updates
    token_budget: int = 96  # e_i reaches its token half at this many output tokens
    call_budget: int = 6  # and its tool-call half at this many calls


@dataclass(slots=True)
class RLConfig:
    """Online RL: groups of G rollouts per task through the one runtime loop."""

    steps: int = 30
    tasks_per_step: int = 16
    group_size: int = 8
    temperature: float = 1.0
    epochs: int = 1  # passes over one step's rollouts
    minibatches: int = 2
    save_every: int = 5
    eval_every: int = 10  # dev evaluations feed the controller
    row_length: int = 768  # episodes are packed into rows; shorter than the engine context, long failures are lost
    compute_dtype: str = "float32"  # as in SFTConfig; the engine has its own
    loss_chunk: int = 0  # as in SFTConfig
    care: CareConfig = field(default_factory=CareConfig)
    lora: LoraConfig = field(default_factory=LoraConfig)
    optimizer: OptimizerConfig = field(
        default_factory=lambda: OptimizerConfig(
            learning_rate=0.005, adam_learning_rate=5e-4, warmup_steps=2, final_fraction=0.5
        )
    )


@dataclass(slots=True)
class EngineConfig:
    """The batching generation engine."""

    slots: int = 64  # concurrent sequences, shared out among the devices
    context: int = 768  # KV cache length per slot
    decode_chunk: int = 8  # tokens generated per device call
    decode_rows: int = 8  # sequences per decode call; more live ones take several calls
    prefill_buckets: tuple[int, ...] = (32, 128, 256)  # tokens per row; below 32 some CPUs round differently
    compute_dtype: str = "float32"  # float32 | bfloat16, of its copy of the weights, its KV cache and its products


@dataclass(slots=True)
class MeshConfig:
    """Device mesh axes; sizes multiply to the number of devices."""

    data: int = 2
    fsdp: int = 1
    tensor: int = 1


@dataclass(slots=True)
class BenchConfig:
    """Which tasks, with how many visible tools."""

    suite: str = "core"
    candidates: int = 4
    train_tasks: int = 4000  # constructed for the first release
    limit_per_family: int = 6  # of the held-out splits
    turns: int = 10  # per episode; the longest expert needs 6
    output_tokens: int = 384  # per episode, all turns


@dataclass(slots=True)
class FlywheelConfig:
    """Collection and curation."""

    mistake_rate: float = 0.15  # share of expert rollouts with an injected, recovered mistake
    verbose_rate: float = 0.5  # share of expert rollouts in the careful, wordy style
    preserve_fraction: float = 0.25  # of a mastered family's former weight that is kept
    gate: str = "auto"  # auto | manual


@dataclass(slots=True)
class EnvConfig:
    """Where evaluations and RL play; docs/environments.md has the forms of a backend. Data is made in the sandbox."""

    backend: str = "sandbox"  # sandbox | local:N | URL,URL,... | double:N | device:FILE | ...; A+B+...: a mix of them
    token_file: str = ""  # of URLs; empty: the environment variable QPA_ENV_TOKEN
    perturb: str = ""  # a preset of `qpa.envs.perturb`: mild | standard | heldout; empty: none
    resample: int = 2  # how often an episode that the environment could not serve is played again
    share: float = 0.1  # of a mix: groups that each later backend takes of those it can play
    budget: int = 16  # of a mix: most sessions that each later backend gets in one update
    seconds: float = 300.0  # of a mix: what a later backend has not finished by then is masked: nobody waits for it


@dataclass(slots=True)
class LoopConfig:
    """One turn of the closed loop."""

    name: str = "tiny"
    seed: int = 0
    run_dir: str = "runs/tiny"
    base: str = ""  # Hugging Face directory to start from; empty: the base shipped with the package
    concurrency: int = 64  # episodes at a time
    model: ModelConfig = field(default_factory=ModelConfig)
    bench: BenchConfig = field(default_factory=BenchConfig)
    flywheel: FlywheelConfig = field(default_factory=FlywheelConfig)
    sft: SFTConfig = field(default_factory=SFTConfig)
    rl: RLConfig = field(default_factory=RLConfig)
    round2: RLConfig = field(default_factory=lambda: RLConfig(steps=8))
    engine: EngineConfig = field(default_factory=EngineConfig)
    env: EnvConfig = field(default_factory=EnvConfig)
    mesh: MeshConfig = field(default_factory=MeshConfig)


def as_dict(config: object) -> dict:
    """Nested plain dict of any config, for fingerprints and reports."""
    return dataclasses.asdict(config)  # type: ignore[call-overload]
