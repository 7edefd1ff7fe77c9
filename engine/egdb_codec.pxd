cimport cython

@cython.final
cdef class Codec:
    cdef int length[256]
    cdef int token[2049]

    cdef fill_all(self, unsigned char[::1] codes, unsigned char[::1] mask, Py_ssize_t size)
    cdef Py_ssize_t encode_all(self, unsigned char[::1] codes, Py_ssize_t size, unsigned char[::1] out, unsigned char[::1] offsets)
    cdef inline int value_of(self, int code) noexcept nogil
    @cython.locals(token=int)
    cdef inline int find(self, const unsigned char *tokens, unsigned long long at, int left) noexcept nogil
