# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml cannot say: the declarations of sciara.h become the module sciara._ffi."""
from setuptools import setup

setup(cffi_modules=["build_ffi.py:ffi"])
