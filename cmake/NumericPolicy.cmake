# SPDX-License-Identifier: Apache-2.0
# The only place that sets floating-point flags, for C and for CUDA (docs/numerics.md). Every operation of the rule is
# one correctly rounded operation in the order written: then all exact engines are bit-identical.
#
#   -ffp-contract=off, --fmad=false   a * b + c is two roundings, on every machine
#   -fno-math-errno                   sqrt is one instruction; errno is never read
#   -fno-trapping-math                the program installs no trap and reads no exception flag. Values do not change;
#                                     GCC may then compute both sides of a branch (clang does so by default)
#   -prec-div, -prec-sqrt, -ftz       single precision on the GPU divides, takes roots and keeps subnormals as IEEE 754

set(SCIARA_NUMERIC_C -ffp-contract=off -fno-math-errno -fno-trapping-math)
set(SCIARA_NUMERIC_CUDA --fmad=false -prec-div=true -prec-sqrt=true -ftz=false -Xcompiler=-ffp-contract=off)

add_library(sciara_numeric INTERFACE)
target_compile_options(
  sciara_numeric INTERFACE "$<$<COMPILE_LANGUAGE:C>:${SCIARA_NUMERIC_C}>"
                           "$<$<COMPILE_LANGUAGE:CUDA>:${SCIARA_NUMERIC_CUDA}>")

# The option --fast-math of the CUDA engines, on purpose: contraction, approximate roots, no subnormals.
add_library(sciara_fast_math INTERFACE)
target_compile_options(
  sciara_fast_math INTERFACE
  "$<$<COMPILE_LANGUAGE:CUDA>:--fmad=true;-prec-div=false;-prec-sqrt=false;-ftz=true;-Xcompiler=-ffp-contract=off>")

if(NOT CMAKE_C_COMPILER_ID MATCHES "^(GNU|Clang|AppleClang)$")
  message(FATAL_ERROR "The compiler is ${CMAKE_C_COMPILER_ID}; the floating-point rules are known for GCC and Clang only. "
                      "Set CC=gcc or CC=clang.")
endif()

# Flags given from outside must not undo the policy.
set(refused
    "-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math|-ffinite-math-only"
    "|-fno-signed-zeros|-ffp-contract=(fast|on)|-ffp-model=(fast|precise)|-mfpmath=387|-fsingle-precision-constant"
    "|--?use_fast_math|--?fmad=true|--?ftz=true|--?prec-(div|sqrt)=false")
string(CONCAT refused ${refused})
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
foreach(variable IN ITEMS CMAKE_C_FLAGS CMAKE_C_FLAGS_${build_type} CMAKE_CUDA_FLAGS CMAKE_CUDA_FLAGS_${build_type})
  if("${${variable}}" MATCHES "(^|[ ,=])(${refused})")
    message(FATAL_ERROR "${variable} contains ${CMAKE_MATCH_2}, which changes results; remove it (\"${${variable}}\")")
  endif()
endforeach()

# The compiler must also compute in the declared type: x87 with its double rounding does not.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "-std=c11 -ffp-contract=off")
check_c_source_compiles(
  "#include <float.h>
   #if FLT_EVAL_METHOD != 0 || defined __FAST_MATH__ || FLT_RADIX != 2 || DBL_MANT_DIG != 53 || FLT_MANT_DIG != 24
   #error not IEEE 754 arithmetic in the type written
   #endif
   int main(void) { return 0; }"
  SCIARA_IEEE_ARITHMETIC)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT SCIARA_IEEE_ARITHMETIC)
  message(FATAL_ERROR "The compiler does not evaluate float and double in their own IEEE 754 formats (FLT_EVAL_METHOD "
                      "is not 0: x87, as on 32-bit x86?). Build for a 64-bit target.")
endif()
