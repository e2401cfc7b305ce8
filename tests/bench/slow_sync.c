/* A disk whose syncs take TOOL_SYNC_MS milliseconds more, for machines whose own do not wait: preloaded by journal.sh. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

static int after_a_while(const char *name, int fd) {
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    const char *text = getenv("TOOL_SYNC_MS");
    double ms = text ? atof(text) : 0;
    struct timespec wait = {(time_t)(ms / 1000), (long)(fmod(ms, 1000) * 1e6)};
    nanosleep(&wait, NULL);
    return sync(fd);
}

int fsync(int fd) { return after_a_while("fsync", fd); }

int fdatasync(int fd) { return after_a_while("fdatasync", fd); }
