"""Train a system and score it: `python train.py task=en-fr`; the same as `crosspro train`."""

if __name__ == "__main__":
    try:  # nothing is imported before an interrupt has somebody to catch it
        from crosspro.scripts.entry import train

        train()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
