"""Polynomial coefficients of the elementary functions, lowest degree first.

How they were made: each polynomial interpolates its function at Chebyshev nodes of the interval,
solved with 60 digits and rounded to the format. Functions are divided by their leading behaviour
first (say (exp r - 1 - r)/r² rather than exp r), so that what is fitted is nearly constant, its
relative error is even over the interval and close to the minimax error, and the leading terms stay
exact. The error noted is that of the fit before rounding; it is to be weighed against the share of
the fitted part in the result, typically 1/10 to 1/100.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mlirad.lower.llvm_text import Kind


class Coefficients(NamedTuple):
    """One polynomial for each format; empty where the format has none."""

    double: tuple[float, ...]
    float: tuple[float, ...]

    def of(self, kind: Kind) -> tuple[float, ...]:
        """The coefficients for a float kind."""
        return self.double if kind == "double" else self.float


# (exp r - 1 - r) / r² for |r| ≤ ln 2 / 2.
EXP: Final = Coefficients(
    double=(  # relative error 3.0e-18
        0.5,
        0.1666666666666667,
        0.04166666666666667,
        0.008333333333326136,
        0.0013888888888883748,
        0.00019841269874820627,
        2.4801587325547743e-05,
        2.7557255400206422e-06,
        2.75572736431103e-07,
        2.5105217004720745e-08,
        2.0914686968086876e-09,
    ),
    float=(  # relative error 2.9e-9
        0.5,
        0.1666666716337204,
        0.04166646674275398,
        0.00833331048488617,
        0.0013933649752289057,
        0.00019890991097781807,
    ),
)

# (2^r - 1) / r for |r| ≤ 1/2.
EXP2: Final = Coefficients(
    double=(  # relative error 2.7e-19
        0.6931471805599453,
        0.24022650695910072,
        0.055504108664821625,
        0.00961812910762848,
        0.0013333558146406467,
        0.00015403530393370732,
        1.5252733841561274e-05,
        1.321548680870779e-06,
        1.0178057085418509e-07,
        7.054897303009422e-09,
        4.455818319966744e-10,
        2.5729326214820692e-11,
    ),
    float=(  # relative error 2.7e-10
        0.6931471824645996,
        0.24022650718688965,
        0.05550410971045494,
        0.009618056938052177,
        0.0013333501992747188,
        0.0001546144630992785,
        1.5297326172003523e-05,
    ),
)

# (2 atanh s - 2 s) / s³ in z = s², for |s| ≤ (√2 - 1)/(√2 + 1): log m for √½ ≤ m ≤ √2.
ATANH: Final = Coefficients(
    double=(  # relative error 4.6e-16
        0.666666666666667,
        0.39999999999899505,
        0.28571428625975764,
        0.22222211134749734,
        0.18182889128565508,
        0.15331721490738642,
        0.14616451042434167,
    ),
    float=(  # relative error 1.7e-9
        0.6666666865348816,
        0.4000012278556824,
        0.2855082154273987,
        0.2333046793937683,
    ),
)

# (atanh(s)/s - 1 - z/3) / z² in z = s², same interval.
ATANH_TAIL: Final = Coefficients(
    double=(  # relative error 4.6e-18
        0.2,
        0.14285714285714682,
        0.11111111110828115,
        0.09090909167657593,
        0.07692297485405851,
        0.06667402121390542,
        0.05853124209457449,
        0.058615261520236474,
    ),
    float=(),
)

# (sin r - r) / r³ in z = r², for |r| ≤ π/4.
SIN: Final = Coefficients(
    double=(  # relative error 1.3e-16
        -0.16666666666666666,
        0.008333333333330936,
        -0.00019841269836740532,
        2.7557316093198404e-06,
        -2.5051129896450185e-08,
        1.5917988979397435e-10,
    ),
    float=(  # relative error 1.7e-10
        -0.1666666716337204,
        0.008333331905305386,
        -0.00019840084132738411,
        2.724962087086169e-06,
    ),
)

# (cos r - 1 + z/2) / z² in z = r², for |r| ≤ π/4.
COS: Final = Coefficients(
    double=(  # relative error 3.1e-17
        0.041666666666666664,
        -0.0013888888888887389,
        2.48015872987544e-05,
        -2.755731726587808e-07,
        2.087614504941318e-09,
        -1.138254464534925e-11,
    ),
    float=(  # relative error 5.7e-11
        0.0416666679084301,
        -0.00138888880610466,
        2.4800598112051375e-05,
        -2.7300703209220956e-07,
    ),
)

# (asin x - x) / x³ in z = x², for |x| ≤ 1/2.
ASIN: Final = Coefficients(
    double=(  # relative error 8.0e-17
        0.16666666666666669,
        0.07499999999998433,
        0.04464285714635543,
        0.030381944138531247,
        0.02237217294214989,
        0.017352392720869973,
        0.013971212973552933,
        0.011479177415184906,
        0.01032281435018578,
        0.005457506718640358,
        0.01740087944269402,
        -0.014851887071247204,
        0.028757851367421566,
    ),
    float=(  # relative error 2.2e-8
        0.1666666567325592,
        0.07500094175338745,
        0.04459940269589424,
        0.031100662425160408,
        0.017149237915873528,
        0.03369084745645523,
    ),
)

# (atan x - x) / x³ in z = x², for |x| ≤ 1/2.
ATAN: Final = Coefficients(
    double=(  # relative error 1.1e-17
        -0.3333333333333333,
        0.19999999999999488,
        -0.14285714285599188,
        0.11111111100917376,
        -0.09090908620322523,
        0.07692294712540285,
        -0.06666435677235948,
        0.05879578429582425,
        -0.05240099507994713,
        0.04628024868570153,
        -0.03806653672057366,
        0.025006503566489507,
        -0.009215792047089858,
    ),
    float=(  # relative error 1.3e-8
        -0.3333333432674408,
        0.19999875128269196,
        -0.14279800653457642,
        0.11006880551576614,
        -0.0823550596833229,
        0.042256858199834824,
    ),
)

# m^(-1/3) for 1 ≤ m ≤ 2: the start of Newton's iteration.
ICBRT: Final = Coefficients(
    double=(  # relative error 4.5e-5
        1.6662787377309156,
        -1.1623973573078166,
        0.6846527077322325,
        -0.21636185469244387,
        0.02778280101858424,
    ),
    float=(  # relative error 4.5e-5
        1.6662787199020386,
        -1.1623973846435547,
        0.6846526861190796,
        -0.2163618505001068,
        0.027782801538705826,
    ),
)

# erf(x)/x - 1 in z = x², for |x| ≤ 1; the error is that of erf.
ERF: Final = Coefficients(
    double=(  # relative error 8.1e-18
        0.12837916709551256,
        -0.37612638903183543,
        0.11283791670945006,
        -0.02686617064323777,
        0.0052239776071164225,
        -0.0008548325975389692,
        0.00012055294904839707,
        -1.492473690741966e-05,
        1.6447424703317362e-06,
        -1.6208483801871705e-07,
        1.3720064546777686e-08,
        -7.795898827002142e-10,
    ),
    float=(),
)

# exp(x²) erfc(x) (1 + x) in t = (x - 3)/(x + 3), for 0.45 ≤ x ≤ 27.5.
ERFCX: Final = Coefficients(
    double=(  # relative error 5.4e-17
        0.7160046047255598,
        -0.23092733308380872,
        0.09902075367944804,
        -0.010235388899066406,
        -0.0238039131091573,
        0.0219577640147576,
        -0.009750689281142769,
        0.0016185690921588464,
        0.0006458140621216214,
        -0.0003672881569576166,
        -2.055061300805622e-05,
        5.611755554431474e-05,
        -1.5187100701517022e-06,
        -8.983541016644569e-06,
        2.7256357633443005e-07,
        1.5737225474663613e-06,
        4.0153200367436705e-08,
        -2.717929486331034e-07,
        -2.529603485329264e-08,
        3.297092616680606e-08,
        3.528165461115116e-09,
    ),
    float=(),
)
