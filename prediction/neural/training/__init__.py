"""The training of a network: settings, data, Lightning, distillation, fine-tuning."""
