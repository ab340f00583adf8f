"""The functions of the C library: a function of the same name would take their place in a program.

"fwrite" in C_LIBRARY
"""

from __future__ import annotations

from typing import Final

_MATH: Final = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor
fma fmax fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround
modf nan nearbyint nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan
tanh tgamma trunc
"""
"""The names of <math.h>: there is one for `double`, and with f and l at the end of the name one for other
floats.
"""

_OTHERS: Final = """
isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower
toupper clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen
fscanf fseek fsetpos ftell fwrite getc getchar gets perror printf putc putchar puts remove rename rewind
scanf setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam ungetc vfprintf vfscanf vprintf vscanf
vsnprintf vsprintf vsscanf abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch
calloc div exit free getenv labs ldiv llabs lldiv malloc mblen mbstowcs mbtowc qsort quick_exit rand
realloc srand strtod strtof strtol strtold strtoll strtoul strtoull system wcstombs wctomb memchr memcmp
memcpy memmove memset strcat strchr strcmp strcoll strcpy strcspn strerror strlen strncat strncmp strncpy
strpbrk strrchr strspn strstr strtok strxfrm asctime clock ctime difftime gmtime localeconv localtime
longjmp mktime raise setjmp setlocale signal strftime time timespec_get accept access alarm bind brk chdir
chmod chown close connect dup dup2 environ execve fileno fork gamma getpid index ioctl isatty j0 j1 jn
kill link listen lseek lstat main mkdir mmap munmap nice open pause pclose pipe poll popen random read
readlink recv rindex rmdir sbrk select send signgam sleep socket srandom stat symlink sync times truncate
umask uname unlink usleep utime wait waitpid write y0 y1 yn
"""
"""The names of the other headers, and of what linkers find in the same library: functions of POSIX, and
`main`.
"""

C_LIBRARY: Final = frozenset(
    (*_OTHERS.split(), *(name + end for name in _MATH.split() for end in ("", "f", "l")))
)
"""The names."""
