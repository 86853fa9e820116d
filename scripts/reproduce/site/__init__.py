"""The documentation as a site (`make docs`): what MkDocs calls, reference, examples."""
