"""Tries to break out of the sandbox; prints the names of the attempts that got through, one per line.

argv: a directory outside the workspace, the process id of the program, a port of a listener on the loopback."""
import ctypes, os, socket, subprocess, sys

outside, agent, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
X86_64 = os.uname().machine == "x86_64"


def write_outside():
    with open(os.path.join(outside, "written"), "w"):
        return True


def append_to_system():
    with open("/etc/passwd", "a"):
        return True


def change_mode():
    os.chmod(os.path.join(outside, "file"), 0o777)
    return True


def change_system_mode():
    os.chmod("/usr/bin/env", 0o777)
    return True


def make_device():
    os.mknod("device", 0o20600, os.makedev(1, 3))
    return True


def family(number, kind=socket.SOCK_STREAM):
    def attempt():
        socket.socket(number, kind)
        return True
    return attempt


def connect():
    socket.create_connection(("127.0.0.1", port), 2)
    return True


def io_uring():
    return libc.syscall(425, 1, ctypes.create_string_buffer(256)) >= 0


def read_environment():
    return len(open("/proc/%d/environ" % agent, "rb").read()) > 0


def signal_program():
    os.kill(agent, 0)
    return True


def trace_program():
    return libc.ptrace(0x4206, agent, 0, 0) == 0


def user_namespace():
    return libc.unshare(0x10000000) == 0


def clone_namespace():
    pid = libc.syscall(56 if X86_64 else 220, 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid > 0


def clone3_namespace():
    arguments = (ctypes.c_uint64 * 11)()
    arguments[0], arguments[4] = 0x10000000, 17
    pid = libc.syscall(435, ctypes.byref(arguments), 88)
    if pid == 0:
        os._exit(0)
    return pid > 0


def foreign_number():
    if not X86_64:
        return False
    child = subprocess.run([sys.executable, "-c", "import ctypes; ctypes.CDLL(None).syscall(0x40000000 | 41, 2, 1, 0)"])
    return child.returncode != -31


def mount():
    return libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0


def open_by_handle():
    ctypes.set_errno(0)
    libc.syscall(303 if X86_64 else 264, -100, b"/", ctypes.create_string_buffer(128), ctypes.byref(ctypes.c_int()), 0)
    return ctypes.get_errno() != 1


ATTEMPTS = [
    write_outside, append_to_system, change_mode, change_system_mode, make_device, connect, io_uring,
    read_environment, signal_program, trace_program, user_namespace, clone_namespace, clone3_namespace,
    foreign_number, mount, open_by_handle,
]
FAMILIES = {"inet": 2, "inet6": 10, "unix": 1, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40}


def run(name, attempt):
    try:
        if attempt():
            print(name)
    except OSError:
        pass


for attempt in ATTEMPTS:
    run(attempt.__name__, attempt)
for name, number in FAMILIES.items():
    run("socket_" + name, family(number))
run("socket_raw", family(2, socket.SOCK_RAW))

# What must work.
left, right = socket.socketpair()
left.send(b"x")
assert right.recv(1) == b"x"
with open("inside", "w") as file:
    file.write("written")
