"""match, which Python 3.9 cannot parse."""


def matching(i, iout):
    for k in range(8):
        match i[k]:
            case 7:
                iout[k] = 70
            case 1 | 2:
                iout[k] = 12
            case n if n < -5:
                iout[k] = -n
            case _:
                iout[k] = 99
        match (k, 3):
            case (0, _):
                iout[k] += 1000
            case (a, b):
                iout[k] += a * b
