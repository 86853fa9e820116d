"""Train a system and score it: `python train.py task=en-fr`; the same as `crosspro train`."""

from crosspro.scripts.train import main

if __name__ == "__main__":
    main()
