"""The documentation as a site (`make docs`): what MkDocs calls, the reference, reports as examples."""
