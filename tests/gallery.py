"""Wrong programs, by group. Each is a script: test_gallery.py runs it and compares what it raises with docs/errors.md.

In front of each stands `#: ` and its title. SCOPE says what the scripts find defined.
"""

SCOPE = """
import numpy as np
import pyasc as asc

x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)
m = np.zeros((2, 3), np.float32)
n = np.arange(8, dtype=np.int32)
"""

GALLERY = {}

GALLERY["Names and scope"] = '''
#: A name that nothing defines
@asc.jit
def kernel(x):
    x[0] = nowhere

kernel(x)
#: A misspelt function of pyasc
@asc.jit
def kernel(x):
    x[0] = asc.expp(x[1])

kernel(x)
#: A variable read above its assignment
@asc.jit
def kernel(x):
    x[0] = later
    later = 1

kernel(x)
#: A variable that only one branch makes a tuple
@asc.jit
def kernel(x):
    if x[0] > 0:
        pair = (1, 2)
    x[0] = pair[0]

kernel(x)
#: A deleted variable
@asc.jit
def kernel(x):
    a = x[0]
    del a
    x[1] = a

kernel(x)
#: del of an element
@asc.jit
def kernel(x):
    del x[0]

kernel(x)
#: global assignment
total = 0

@asc.jit
def kernel(x):
    global total
    total = total + x[0]

kernel(x)
#: An import of what is not there
@asc.jit
def kernel(x):
    from math import squareroot
    x[0] = squareroot(x[1])

kernel(x)
'''

GALLERY["Types and numbers"] = '''
#: A bitwise operation on a float
@asc.jit
def kernel(x):
    x[0] = x[1] & 3

kernel(x)
#: A shift of a float
@asc.jit
def kernel(x, n):
    x[0] = n[0] << x[1]

kernel(x, n)
#: A string as a number
@asc.jit
def kernel(x):
    x[0] = "a"

kernel(x)
#: None as a number
def nothing(v):
    pass

@asc.jit
def kernel(x):
    x[0] = nothing(x[1]) + 1

kernel(x)
#: A function as a number
def twice(v):
    return v * 2

@asc.jit
def kernel(x):
    x[0] = twice + 1

kernel(x)
#: A tuple as a number
@asc.jit
def kernel(x):
    x[0] = x.shape

kernel(x)
#: An integer of more than 64 bits
@asc.jit
def kernel(x):
    x[0] = 123456789012345678901234567890

kernel(x)
#: A complex number
@asc.jit
def kernel(x):
    x[0] = 2j

kernel(x)
#: A variable that is a number on one way and a tuple on the other
@asc.jit
def kernel(x):
    if x[0] > 0:
        a = 1
    else:
        a = (1, 2)
    x[0] = a

kernel(x)
#: A variable that turns into a tuple in a loop
@asc.jit
def kernel(x):
    a = 1.0
    for i in range(3):
        x[i] = a
        a = (x[i], 1)

kernel(x)
#: A variable that is one array or another
@asc.jit
def kernel(x, y):
    t = x
    if y[0] > 0:
        t = y
    t[1] = 1

kernel(x, y)
#: A result that is a number on one path and a tuple on the other
def both(v):
    if v > 0:
        return v
    return v, 0

@asc.jit
def kernel(x):
    x[0] = both(x[1])

kernel(x)
#: A result on one path only
def root(v):
    if v > 0:
        return (v, 1)

@asc.jit
def kernel(x):
    a, b = root(x[0])
    x[0] = a + b

kernel(x)
#: An argument that is not what its annotation says
@asc.jit
def kernel(x: asc.Tensor[asc.float16, 1]):
    x[0] = 1

kernel(x)
#: A value that is not what its annotation says
@asc.jit
def kernel(x):
    a: asc.int32 = 2.5
    x[0] = a

kernel(x)
#: isinstance of a computed number
@asc.jit
def kernel(x):
    a = x[0] + 1
    if isinstance(a, asc.float64):
        x[0] = 2

kernel(x)
#: is between numbers
@asc.jit
def kernel(x):
    a = x[0]
    x[1] = a is x[2]

kernel(x)
'''

GALLERY["Subscripts and tensors"] = '''
#: Too many subscripts
@asc.jit
def kernel(x):
    x[0, 0] = 1.0

kernel(x)
#: A float as a subscript
@asc.jit
def kernel(x):
    x[len(x) / 2] = 1.0

kernel(x)
#: A float from a tensor as a subscript
@asc.jit
def kernel(x, y):
    x[0] = y[x[1]]

kernel(x, y)
#: A tensor as a number
@asc.jit
def kernel(x):
    x[0] = x

kernel(x)
#: A row as a number
@asc.jit
def kernel(x, m):
    x[0] = m[0]

kernel(x, m)
#: A branch on a tensor
@asc.jit
def kernel(x, y):
    if x > 0:
        y[0] = 1

kernel(x, y)
#: A subscript of a number
@asc.jit
def kernel(x):
    a = x[0]
    x[1] = a[0]

kernel(x)
#: An attribute that tensors do not have in kernels
@asc.jit
def kernel(x):
    x[0] = x.nbytes

kernel(x)
#: An index outside a tuple
@asc.jit
def kernel(x):
    a = (1, 2)
    x[0] = a[2]

kernel(x)
#: One of several tensors by a number that only the run knows
@asc.jit
def kernel(*arrays):
    for k in range(len(arrays)):
        arrays[k][0] = 1

kernel(x, y)
#: An element of a tuple cannot be assigned
@asc.jit
def kernel(x):
    a = (1, 2)
    a[0] = 3
    x[0] = a[0]

kernel(x)
#: An array of more dimensions into one of fewer
@asc.jit
def kernel(x, m):
    x[0:2] = m

kernel(x, m)
#: A step of a slice that only the run knows
@asc.jit
def kernel(x, k):
    x[::k] = 1

kernel(x, 2)
#: A product of matrices of three dimensions
@asc.jit
def kernel(t):
    t[0] = t @ t

kernel(np.zeros((2, 2, 2), np.float32))
#: An axis that the array does not have
@asc.jit
def kernel(x, m):
    x[0:3] = asc.sum(m, axis=2)

kernel(x, m)
#: Memory whose size only the run knows
@asc.jit
def kernel(x):
    s = asc.local(x.shape[0])
    x[0] = s[0]

kernel(x)
#: Memory of something that is no dtype
@asc.jit
def kernel(x):
    s = asc.local(4, dtype=3)
    x[0] = s[0]

kernel(x)
'''

GALLERY["Control flow"] = '''
#: A range of floats
@asc.jit
def kernel(x):
    for i in range(len(x) / 2):
        x[i] = 1

kernel(x)
#: A range with step 0
@asc.jit
def kernel(x):
    for i in range(0, 8, 0):
        x[i] = 1

kernel(x)
#: A range without a bound
@asc.jit
def kernel(x):
    for i in range():
        x[i] = 1

kernel(x)
#: A loop over a number
@asc.jit
def kernel(x):
    for i in len(x):
        x[i] = 1

kernel(x)
#: Too few names for what is unpacked
@asc.jit
def kernel(x):
    a, b = 1, 2, 3
    x[0] = a + b

kernel(x)
#: A shape unpacked into too many names
@asc.jit
def kernel(x):
    rows, cols = x.shape
    x[0] = rows + cols

kernel(x)
#: A number unpacked
@asc.jit
def kernel(x):
    a, b = x[0]
    x[1] = a + b

kernel(x)
#: A comprehension over a length that only the run knows
@asc.jit
def kernel(x):
    a = [v * 2 for v in x]
    x[0] = a[0]

kernel(x)
#: A comprehension with a condition on data
@asc.jit
def kernel(x):
    a = [i for i in range(4) if x[i] > 0]
    x[0] = len(a)

kernel(x)
#: in a tensor
@asc.jit
def kernel(x, y):
    if 3 in x:
        y[0] = 1

kernel(x, y)
#: with of a file
@asc.jit
def kernel(x):
    with open("log") as f:
        x[0] = 1

kernel(x)
#: A loop variable that holds an array and then another one
@asc.jit
def kernel(x, y):
    a, b = x, y
    for i in range(4):
        a[i] = b[i]
        a, b = b, a

kernel(x, y)
'''

GALLERY["Calls and arguments"] = '''
#: Too many arguments for a function
def twice(v):
    return v * 2

@asc.jit
def kernel(x):
    x[0] = twice(1, 2)

kernel(x)
#: Too few arguments for a function
def scaled(v, by):
    return v * by

@asc.jit
def kernel(x):
    x[0] = scaled(x[1])

kernel(x)
#: A keyword that the function does not know
def scaled(v, by):
    return v * by

@asc.jit
def kernel(x):
    x[0] = scaled(x[1], factor=2)

kernel(x)
#: An argument given twice
def scaled(v, by):
    return v * by

@asc.jit
def kernel(x):
    x[0] = scaled(x[1], v=2)

kernel(x)
#: Too many arguments for a function of pyasc
@asc.jit
def kernel(x):
    x[0] = asc.exp(x[0], 2)

kernel(x)
#: A function that kernels do not know
@asc.jit
def kernel(x):
    x[0] = hash(x[0])

kernel(x)
#: A function of NumPy that kernels do not know
@asc.jit
def kernel(x):
    x[0] = np.median(x)

kernel(x)
#: A call of a number
@asc.jit
def kernel(x):
    a = 3
    x[0] = a(1)

kernel(x)
#: A spread number
def scaled(v, by):
    return v * by

@asc.jit
def kernel(x):
    x[0] = scaled(*x[0])

kernel(x)
#: Recursion without a bound
def down(v):
    return down(v - 1)

@asc.jit
def kernel(x):
    x[0] = down(x[0])

kernel(x)
#: A dimension of the domain that does not exist
@asc.jit
def kernel(x):
    x[asc.get_global_id(3)] = 1

kernel(x)
#: A misspelt keyword of a function of pyasc
@asc.jit
def kernel(x):
    x[0] = asc.get_global_id(axis=0)

kernel(x)
#: print with an unknown keyword
@asc.jit
def kernel(x):
    print(x[0], file=None)

kernel(x)
#: A format that is computed
@asc.jit
def kernel(x, width):
    print(f"{x[0]:{width}}")

kernel(x, 8)
'''

GALLERY["Classes"] = '''
#: An attribute that the object does not have
class Point:
    def __init__(self, a):
        self.a = a

@asc.jit
def kernel(x):
    p = Point(x[0])
    x[1] = p.b

kernel(x)
#: An operator that the class does not have
class Point:
    def __init__(self, a):
        self.a = a

@asc.jit
def kernel(x):
    p = Point(x[0])
    x[1] = p + p

kernel(x)
#: Arguments for a class without __init__
class Empty:
    pass

@asc.jit
def kernel(x):
    e = Empty(1)

kernel(x)
#: A dataclass without one of its fields
from dataclasses import dataclass

@dataclass
class Pair:
    a: float
    b: float

@asc.jit
def kernel(x):
    p = Pair(x[0])
    x[1] = p.b

kernel(x)
#: A frozen dataclass that is changed
from dataclasses import dataclass

@dataclass(frozen=True)
class Pair:
    a: float
    b: float

@asc.jit
def kernel(x):
    p = Pair(x[0], 1)
    p.b = 2

kernel(x)
#: An object as a number
class Point:
    def __init__(self, a):
        self.a = a

@asc.jit
def kernel(x):
    x[0] = Point(x[1])

kernel(x)
#: An object of the host that the kernel changes
class Counter:
    n = 0

counter = Counter()

@asc.jit
def kernel(x):
    counter.n = 1

kernel(x)
#: super() outside a method
def base():
    return super()

@asc.jit
def kernel(x):
    x[0] = base().a

kernel(x)
#: A class inside a kernel
@asc.jit
def kernel(x):
    class Point:
        pass
    x[0] = 1

kernel(x)
'''

GALLERY["Exceptions"] = '''
#: raise of something that is no exception
@asc.jit
def kernel(x):
    raise 3

kernel(x)
#: raise outside an except clause
@asc.jit
def kernel(x):
    raise

kernel(x)
#: except of something that is no exception
@asc.jit
def kernel(x):
    try:
        x[0] = 1 / x[1]
    except asc.float32:
        x[0] = 0

kernel(x)
#: An exception as a value
@asc.jit
def kernel(x):
    e = ValueError("no")
    x[0] = 1

kernel(x)
#: An exception that nothing catches
@asc.jit
def kernel(x):
    i = asc.get_global_id()
    if x[i] < 1:
        raise ValueError(f"x[{i}] is {x[i]}")

kernel.over(8)(x)
#: A failed assert
@asc.jit
def kernel(x):
    for i in range(len(x)):
        assert x[i] == 0 and i < 5, "too many"

kernel(x)
#: A variable that is unset on the way taken
@asc.jit
def kernel(x):
    if x[0] > 0:
        a = 1
    x[1] = a

kernel(x)
#: No body for these types
@asc.jit
def kernel(x: asc.Tensor[asc.int32, 1]):
    x[0] = 1

@asc.overload
def kernel(x: asc.Tensor[asc.float64, 1]):
    x[0] = 1.5

kernel(x)
'''

GALLERY["Parallel work, barriers and locks"] = '''
#: A barrier that not all work-items of a block meet
@asc.jit
def kernel(x):
    i = asc.get_local_id()
    if i < 3:
        asc.syncthreads()
    x[i] = 1

kernel[1, 8](x)
#: A barrier in a loop of as many rounds as the work-item says
@asc.jit
def kernel(x):
    for k in range(asc.get_local_id()):
        asc.syncthreads()
    x[0] = 1

kernel[1, 8](x)
#: A barrier behind a return of some work-items
@asc.jit
def kernel(x):
    if asc.get_local_id() > 2:
        return
    asc.syncthreads()
    x[0] = 1

kernel[1, 8](x)
#: An array that is made before a barrier and read behind it
@asc.jit
def kernel(m, out):
    row = asc.get_global_id()
    twice = m[row] * 2
    asc.barrier()
    out[row, :] = twice

kernel.over(2)(m, m.copy())
#: A barrier inside a lock's region
lock = asc.mutex()

@asc.jit
def kernel(x):
    with lock:
        asc.syncthreads()
        x[0] += asc.get_local_id()

kernel[1, 8](x)
#: A barrier inside a parallel body
@asc.jit
def kernel(x):
    def body(i):
        asc.barrier()
        x[i] = i
    asc.parallel_for(8, body)

kernel(x)
#: A parallel body that assigns a variable outside
@asc.jit
def kernel(x):
    total = 0.0
    def body(i):
        nonlocal total
        total += x[i]
    asc.parallel_for(8, body)
    x[0] = total

kernel(x)
#: parallel_for without a body
@asc.jit
def kernel(x):
    asc.parallel_for(8, x)

kernel(x)
#: parallel_for over a float
@asc.jit
def kernel(x):
    asc.parallel_for(len(x) / 2, lambda i: x[i], out=x)

kernel(x)
#: A body with too few parameters
@asc.jit
def kernel(m):
    asc.parallel_for(m.shape, lambda i: 1.0, out=m)

kernel(m)
#: Another decorator inside a kernel
@asc.jit
def kernel(x):
    @asc.jit
    def body(i):
        x[i] = 1
    body(0)

kernel(x)
#: task without a function
@asc.jit
def kernel(x):
    asc.task(x[0])

kernel(x)
#: sync() inside a task
def work(x):
    x[0] = 1
    asc.sync()

@asc.jit
def kernel(x):
    asc.task(work, x)

kernel(x)
#: A pipeline whose stages are no functions
@asc.jit
def kernel(x):
    asc.pipeline((x, x), 8)

kernel(x)
#: with of something that is no mutex
@asc.jit
def kernel(x):
    with x:
        x[0] = 1

kernel(x)
#: An atomic without its value
@asc.jit
def kernel(x):
    asc.atomic_add(x, 0)

kernel(x)
#: An atomic with a subscript too many
@asc.jit
def kernel(x):
    asc.atomic_add(x, (0, 0), 1)

kernel(x)
#: Vectors of different widths
@asc.jit
def kernel(x):
    a = asc.load_vector(0, width=2, src=x)
    b = asc.load_vector(0, width=4, src=x)
    asc.store_vector(0, a + b, dst=x)

kernel(x)
#: A default buffer that nobody passes
@asc.jit
def kernel():
    asc.store_global(0, 1)

kernel()
'''

GALLERY["Arguments of a launch"] = '''
#: An argument is missing
@asc.jit
def kernel(x, out):
    out[0] = x[0]

kernel(x)
#: An argument too many
@asc.jit
def kernel(x):
    x[0] = 1

kernel(x, 2, 3)
#: An argument given twice
@asc.jit
def kernel(x):
    x[0] = 1

kernel(x, x=y)
#: A keyword that the kernel does not know
@asc.jit
def kernel(x):
    x[0] = 1

kernel(x, alpha=2)
#: A list instead of an array
@asc.jit
def kernel(x):
    x[0] = 1

kernel([1.0, 2.0])
#: An array of strings
@asc.jit
def kernel(x):
    x[0] = 1

kernel(np.array(["a"]))
#: An array in the byte order of other machines
@asc.jit
def kernel(x):
    x[0] = 1

kernel(x.astype(">f4"))
#: A complex number
@asc.jit
def kernel(x, a):
    x[0] = a

kernel(x, 1j)
#: A number of more than 64 bits
@asc.jit
def kernel(x, a):
    x[0] = a

kernel(x, 2**70)
#: A read-only array that the kernel writes
x.flags.writeable = False

@asc.jit
def kernel(x):
    x[0] = 1

kernel(x)
#: A mutex as an argument
@asc.jit
def kernel(x, lock):
    x[0] = 1

kernel(x, asc.mutex())
#: A kernel of a kernel
@asc.jit
def kernel(x):
    x[0] = 1

asc.jit(kernel)
#: An option that does not exist
@asc.jit(chek=True)
def kernel(x):
    x[0] = 1
#: A function of kernels outside one
asc.get_global_id()
'''

GALLERY["The domain"] = '''
#: No subscript tells how many work-items to run
@asc.jit
def kernel(x):
    x[asc.get_global_id() * 2] = 1

kernel(x)
#: A second dimension that no subscript tells
@asc.jit
def kernel(x):
    x[asc.get_global_id(0)] = asc.get_global_id(1)

kernel(x)
#: An access that would leave its array
@asc.jit
def kernel(x, out):
    i = asc.get_global_id()
    out[i] = x[i + 1]

kernel(x, y)
#: Blocks without threads
@asc.jit
def kernel(x):
    x[asc.get_global_id()] = 1

kernel[4](x)
#: A block of nothing
@asc.jit
def kernel(x):
    x[asc.get_global_id()] = 1

kernel[1, 0](x)
#: A block that is too large
@asc.jit
def kernel(x):
    i = asc.get_local_id()
    x[i] = 1
    asc.barrier()
    x[i] += 1

kernel[1, 2000](x)
#: A negative domain
@asc.jit
def kernel(x):
    x[asc.get_global_id()] = 1

kernel.over(-1)(x)
#: A domain without dimensions
@asc.jit
def kernel(x):
    x[asc.get_global_id()] = 1

kernel.over()(x)
'''

GALLERY["Checked mode"] = '''
#: An index out of bounds
@asc.jit(check=True)
def kernel(x):
    i = asc.get_global_id()
    x[i] = 1

kernel.over(9)(x)
#: A division by zero
@asc.jit(check=True)
def kernel(n):
    n[0] = n[1] // n[0]

kernel(n)
#: An overflow
@asc.jit(check=True)
def kernel(n):
    n[0] = n[1] + 2147483647

kernel(n)
#: A value that its array cannot hold
@asc.jit(check=True)
def kernel(t):
    t[0] = 300

kernel(np.zeros(1, np.int8))
#: A race of two work-items
@asc.jit(check=True)
def kernel(x):
    i = asc.get_local_id()
    s = asc.shared(8)
    s[i] = i
    x[i] = s[7 - i]

kernel[1, 8](x)
#: A race of two iterations
@asc.jit(check=True)
def kernel(x):
    def body(i):
        x[0] += i
    asc.parallel_for(8, body)

kernel(x)
#: Memory that is read before it is stored
@asc.jit(check="all")
def kernel(x):
    s = asc.shared(8)
    i = asc.get_local_id()
    x[i] = s[i]

kernel[1, 8](x)
'''

GALLERY["What Python has and kernels do not"] = '''
#: A generator
@asc.jit
def kernel(x):
    yield x[0]

kernel(x)
#: async
@asc.jit
async def kernel(x):
    x[0] = 1

kernel(x)
#: await
@asc.jit
def kernel(x):
    async def inner():
        x[0] = 1
    inner()

kernel(x)
#: A dict
@asc.jit
def kernel(x):
    a = {"k": 1}
    x[0] = a["k"]

kernel(x)
#: A set
@asc.jit
def kernel(x):
    a = {1, 2}
    x[0] = len(a)

kernel(x)
#: A dict comprehension
@asc.jit
def kernel(x):
    a = {i: i * i for i in range(4)}
    x[0] = a[2]

kernel(x)
#: **kwargs
def scaled(**options):
    return 1

@asc.jit
def kernel(x):
    x[0] = scaled(by=2)

kernel(x)
#: A list that grows
@asc.jit
def kernel(x):
    a = []
    for i in range(4):
        a.append(x[i])
    x[0] = a[0]

kernel(x)
#: A method of str
@asc.jit
def kernel(x):
    x[0] = len("a b".split())

kernel(x)
#: eval
@asc.jit
def kernel(x):
    x[0] = eval("1 + 1")

kernel(x)
#: input from the terminal
@asc.jit
def kernel(x):
    x[0] = float(input())

kernel(x)
#: A pattern over a mapping
@asc.jit
def kernel(x):
    match x[0]:
        case {"a": 1}:
            x[0] = 1

kernel(x)
#: A kernel from text that is nowhere
exec("""
def hidden(x):
    x[0] = 1
""")
kernel = asc.jit(hidden)
kernel(x)
#: A lambda that shares its line with its twin
kernel, other = asc.jit(lambda x: asc.exp(x[0])), asc.jit(lambda x: asc.exp(x[0]))

kernel(x)
#: Mutexes by the hundred
@asc.jit
def kernel(x):
    locks = [asc.mutex() for i in range(100)]
    x[0] = 1

kernel(x)
'''


def programs():
    """(group, title, source) of each."""
    for group, text in GALLERY.items():
        for part in text.strip("\n").split("#: ")[1:]:
            title, source = part.split("\n", 1)
            yield group, title, source.rstrip("\n") + "\n"
