"""The networks: a module of this folder is one, with its settings class and its forward pass.

The settings class has the module's name as `name`; saved systems and `conf/system` use it.
"""
