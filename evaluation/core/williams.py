"""Williams's test: do two metrics correlate differently with the same human scores?

Williams (1959), as used for MT metrics by Graham and Baldwin (2014) and by 001 §5. The two
correlations share the human variable and the systems, so they are dependent: the test takes the
correlation between the two metrics into account.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import stdtr

FEWEST = 4
"""With fewer systems the test has no degree of freedom."""


@dataclass(frozen=True, slots=True)
class WilliamsTest:
    """The statistic t with n-3 degrees of freedom; one-sided p is for r12 > r13."""

    t: float
    degrees: int
    p_one_sided: float
    p_two_sided: float


def williams_test(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Compare r12 and r13, where 1 is the human score, 2 and 3 are metrics, over n systems."""
    if n < FEWEST:
        raise ValueError(f"Williams's test needs {FEWEST} systems, not {n}")
    degrees = n - 3
    difference = r12 - r13
    # Rounding can make the determinant of three nearly dependent variables slightly negative.
    determinant = max(0.0, 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23)
    variance = 2 * determinant * (n - 1) / degrees + (r12 + r13) ** 2 / 4 * (1 - r23) ** 3
    above = difference * math.sqrt((n - 1) * (1 + r23))
    if variance > 0:
        t = above / math.sqrt(variance)
    else:
        t = math.copysign(math.inf, above) if above else 0.0
    upper = float(stdtr(degrees, -t))
    return WilliamsTest(t, degrees, upper, min(1.0, 2 * min(upper, 1 - upper)))
