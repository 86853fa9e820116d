"""A transformer over the document, in torch (`network`) and in numpy (`numpy_reader`).

`rows` has its settings and what it reads, which need no torch.
"""

from crosspro.prediction.neural.networks.document_encoder.rows import (
    DocumentEncoderSettings as DocumentEncoderSettings,
)
