"""Train a system and score it: `python train.py task=en-fr`; the same as `crosspro train`."""

if __name__ == "__main__":
    try:  # nothing is imported before an interrupt is caught
        from crosspro.scripts.train import main
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except ImportError as error:
        from crosspro.scripts.entry import explain_missing_package

        explain_missing_package(error, "train.py")
        raise
    main()
