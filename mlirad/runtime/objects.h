// Objects of CPython and NumPy as far as they are read here. Python's own headers are not used: nobody needs them to
// build this, and one text serves all versions. `jit/object_layout.py` compares the layout with live objects before
// it is relied on.
#ifndef MLIRAD_OBJECTS_H
#define MLIRAD_OBJECTS_H

#include "attributes.h"
#include "generated/constants.h"

typedef struct Object {
    int64_t reference_count;
    struct Object *type;
} Object;

// A float, or one of NumPy's scalars.
typedef struct {
    Object object;
    uint64_t value;
} Scalar;

typedef struct {
    Object object;
    int64_t size;
    Object **items;
} List;

typedef struct Array {
    Object object;
    void *data;
    int rank;
    const int64_t *shape;
    const int64_t *strides;
    Object *base;
    Object *dtype;
    int flags;
} Array;

#define IS_AT(structure, field, offset) _Static_assert(offsetof(structure, field) == (offset), #field)
IS_AT(Object, type, LAYOUT_TYPE);
IS_AT(Scalar, value, LAYOUT_VALUE);
IS_AT(List, size, LAYOUT_LIST_SIZE);
IS_AT(List, items, LAYOUT_LIST_ITEMS);
IS_AT(Array, data, LAYOUT_DATA);
IS_AT(Array, rank, LAYOUT_RANK);
IS_AT(Array, shape, LAYOUT_SHAPE);
IS_AT(Array, base, LAYOUT_BASE);
IS_AT(Array, dtype, LAYOUT_DTYPE);
IS_AT(Array, flags, LAYOUT_FLAGS);
#undef IS_AT

extern Object _Py_TrueStruct, _Py_FalseStruct, _Py_NoneStruct, PyArray_Type, PyBool_Type, PyFloat_Type;

static inline bool is_array(const Object *object) { return object->type == &PyArray_Type; }

void Py_IncRef(Object *object);
void Py_DecRef(Object *object); // which may be null

void *PyCapsule_GetPointer(Object *capsule, const char *name);
Object *PyDict_GetItem(Object *dictionary, Object *key);
int PyDict_Next(Object *dictionary, int64_t *position, Object **key, Object **value);
void PyErr_Clear(void);
Object *PyErr_Occurred(void);
int PyErr_CheckSignals(void);
void PyErr_SetObject(Object *type, Object *value);
void PyEval_RestoreThread(void *thread);
void *PyEval_SaveThread(void);
int64_t PyLong_AsLongLong(Object *integer);
Object *PyObject_CallFunction(Object *function, const char *format, ...);
Object *PyObject_CallNoArgs(Object *function);
Object *PyObject_GetAttr(Object *object, Object *name);
Object *PyObject_Vectorcall(Object *function, Object *const *arguments, uint64_t count, Object *names);
Object *PyTuple_New(int64_t size);
int PyTuple_SetItem(Object *tuple, int64_t position, Object *item);
Object *PyWeakref_NewRef(Object *object, Object *callback);

// These take a reference to `dtype` from their caller.
Array *PyArray_FromArray(Array *array, Object *dtype, int flags);
Array *PyArray_FromScalar(Object *scalar, Object *dtype);

Array *PyArray_New(Object *type, int rank, const int64_t *shape, int type_number, const int64_t *strides, void *data,
    int item_bytes, int flags, Object *object);
Object *PyArray_Scalar(void *data, Object *dtype, Object *base);
Object *PyDataMem_SetHandler(Object *handler);

#endif
