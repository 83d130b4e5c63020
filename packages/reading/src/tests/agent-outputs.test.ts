import { expect, it } from "vitest";
import { interpret } from "../__fixtures__/interpret.ts";

// Outputs as agents see them: cut, coloured, wrapped, of several runners. Written down after the runners' formats, with
// the verdict a person would give, before anybody looked at how they are read. Without a code only the words decide.
const OUTPUTS: readonly (readonly [
  what: string,
  command: string,
  exitCode: number | undefined,
  output: string,
  verdict: string,
  counts?: string,
])[] = [
  [
    "pytest green with a coverage table behind",
    "pytest --cov=src",
    undefined,
    "============================= test session starts ==============================\n" +
      "platform linux -- Python 3.11.4, pytest-7.4.0, pluggy-1.2.0\n" +
      "rootdir: /app\nplugins: cov-4.1.0\ncollected 12 items\n\ntests/test_a.py ............                       " +
      "                      [100%]\n\n---------- coverage: platform linux, python 3.11.4-final-0 -----------\n" +
      "Name           Stmts   Miss  Cover\n----------------------------------\n" +
      "src/a.py          40      2    95%\nsrc/errors.py     10      0   100%\n" +
      "----------------------------------\nTOTAL             50      2    96%\n" +
      "\n\n============================== 12 passed in 0.52s ==============================",
    "pass",
    "12/0",
  ],
  [
    "pytest with warnings and deselected",
    "pytest -k foo",
    undefined,
    "collected 40 items / 37 deselected / 3 selected\n\ntests/test_foo.py ...                                    " +
      "                [100%]\n\n=============================== warnings summary ===============================\n" +
      "tests/test_foo.py::test_a\n  /app/x.py:3: DeprecationWarning: failed to import old thing\n" +
      "\n-- Docs: https://docs.pytest.org/en/stable/how-to/capture-warnings.html\n" +
      "================= 3 passed, 37 deselected, 1 warning in 0.11s ==================",
    "pass",
    "3/0",
  ],
  [
    "pytest collection errors",
    "python -m pytest tests/",
    undefined,
    "collected 5 items / 2 errors\n\n==================================== ERRORS ====================================" +
      "\n_____________________ ERROR collecting tests/test_models.py _____________________\n" +
      "ImportError while importing test module '/app/tests/test_models.py'.\n" +
      "E   ModuleNotFoundError: No module named 'django'\n=========================== short test summary info " +
      "=========" +
      "===================\nERROR tests/test_models.py\nERROR tests/test_views.py\n" +
      "!!!!!!!!!!!!!!!!!!! Interrupted: 2 errors during collection !!!!!!!!!!!!!!!!!!!!\n" +
      "============================== 2 errors in 0.31s ===============================",
    "fail",
  ],
  [
    "pytest with xfail and skip only",
    "pytest -q",
    undefined,
    "sx                                                                       [100%]\n1 skipped, 1 xfailed in 0.02s",
    "unknown",
  ],
  [
    "pytest with xpass strict",
    "pytest",
    undefined,
    "F                                                                        [100%]\n" +
      "=================================== FAILURES ===================================\n" +
      "___________________________________ test_a ____________________________________\n" +
      "[XPASS(strict)] \n=========================== short test summary info ============================\n" +
      "FAILED test_a.py::test_a\n1 failed in 0.01s",
    "fail",
    "0/1",
  ],
  [
    "pytest cut in the middle by the agent",
    "pytest tests -x",
    undefined,
    "============================= test session starts ==============================\n" +
      "collected 300 items\n\ntests/test_a.py ..............                                           [  4%]\n" +
      "[... 4000 characters omitted ...]\ntests/test_z.py ......F\n" +
      "=========================== short test summary info ============================\n" +
      "FAILED tests/test_z.py::test_last - AssertionError: assert 1 == 2\n" +
      "!!!!!!!!!!!!!!!!!!!!!!!!!! stopping after 1 failures !!!!!!!!!!!!!!!!!!!!!!!!!!!\n" +
      "======================== 1 failed, 288 passed in 12.31s ========================",
    "fail",
    "288/1",
  ],
  [
    "pytest cut before the end",
    "pytest | head -20",
    0,
    "============================= test session starts ==============================\n" +
      "platform linux -- Python 3.11.4, pytest-7.4.0\ncollected 300 items\n" +
      "\ntests/test_a.py ..............                                           [  4%]\n" +
      "tests/test_b.py ..............                                           [  9%]",
    "unknown",
  ],
  [
    "pytest coloured",
    "pytest --color=yes",
    undefined,
    "\u001b[32m.\u001b[0m\u001b[31mF\u001b[0m\u001b[31m                                                          " +
      "             [100%]\u001b[0m\n\u001b[31m=========================== short test summary info " +
      "====================" +
      "========\u001b[0m\n\u001b[31mFAILED\u001b[0m t.py::\u001b[1mtest_b\u001b[0m - assert 0\n" +
      "\u001b[31m========================= \u001b[31m\u001b[1m1 failed\u001b[0m, \u001b[32m1 " +
      "passed\u001b[0m\u001b[31m " +
      "in 0.03s\u001b[0m\u001b[31m =========================\u001b[0m",
    "fail",
    "1/1",
  ],
  [
    "pytest internal error",
    "pytest",
    undefined,
    'INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR>   File "/x/_pytest/main.py", line 270, in ' +
      "wrap_session\nINTERNALERROR> ValueError: boom\n\n============================ no tests ran in 0.01s " +
      "============" +
      "=================",
    "fail",
  ],
  [
    "pytest usage error",
    "pytest --foo",
    undefined,
    "ERROR: usage: pytest [options] [file_or_dir] [file_or_dir] [...]\n" +
      "pytest: error: unrecognized arguments: --foo\n  inifile: None\n" +
      "  rootdir: /app",
    "unknown",
  ],
  [
    "pytest conftest that cannot be imported",
    "pytest tests",
    4,
    "ImportError while loading conftest '/app/tests/conftest.py'.\n" +
      "tests/conftest.py:1: in <module>\n    import missing\nE   ModuleNotFoundError: No module named 'missing'",
    "fail",
  ],
  [
    "pytest with subtests and reruns",
    "pytest --reruns 2",
    undefined,
    "..R.                                                                     [100%]\n3 passed, 1 rerun in 1.20s",
    "pass",
    "3/0",
  ],
  [
    "pytest xdist",
    "pytest -n 4",
    undefined,
    "bringing up nodes...\n........................................................................ [ 60%]\n" +
      ".................................................F                       [100%]\n" +
      "=================================== FAILURES ===================================\n" +
      "=========================== short test summary info ============================\n" +
      "FAILED tests/test_a.py::test_q[1-2] - ValueError\n1 failed, 121 passed in 4.44s",
    "fail",
    "121/1",
  ],
  [
    "pytest with minutes",
    "pytest",
    undefined,
    "================== 1043 passed, 12 skipped in 312.11s (0:05:12) ==================",
    "pass",
    "1043/0",
  ],
  [
    "pytest -q through tail",
    "pytest -q 2>&1 | tail -3",
    0,
    "FAILED tests/a.py::test_x - assert False\nFAILED tests/a.py::test_y - KeyError: 'a'\n" +
      "2 failed, 40 passed, 3 warnings in 2.10s",
    "fail",
    "40/2",
  ],
  [
    "sympy's own runner",
    "bin/test sympy/core",
    undefined,
    "============================= test process starts ==============================\n" +
      "executable:         /usr/bin/python  (3.9.6-final-0) [CPython]\n" +
      "architecture:       64-bit\ncache:              yes\nground types:       python \n" +
      "numpy:              None\nrandom seed:        48284\nhash randomization: on (PYTHONHASHSEED=123)\n" +
      "\nsympy/core/tests/test_basic.py[20] ....................                     [OK]\n" +
      "\n================== tests finished: 20 passed, in 0.31 seconds ==================",
    "pass",
    "20/0",
  ],
  [
    "sympy's own runner, red",
    "bin/test sympy/core",
    undefined,
    "sympy/core/tests/test_basic.py[20] ..........F.........                   [FAIL]\n" +
      "\n________________________________________________________________________________\n" +
      "______________ sympy/core/tests/test_basic.py:test_atomic ______________\n" +
      'Traceback (most recent call last):\n  File "x.py", line 3, in test_atomic\n' +
      "    assert False\nAssertionError\n\n============= tests finished: 19 passed, 1 failed, in 0.42 seconds " +
      "=========" +
      "====\nDO *NOT* COMMIT!",
    "fail",
    "19/1",
  ],
  [
    "sympy's own runner, exceptions",
    "bin/test sympy/core",
    undefined,
    "=== tests finished: 19 passed, 1 exceptions, in 0.42 seconds ===\nDO *NOT* COMMIT!",
    "fail",
  ],
  [
    "Django green",
    "./runtests.py admin_views",
    undefined,
    "Testing against Django installed in '/testbed/django' with up to 4 processes\n" +
      "Creating test database for alias 'default'...\nSystem check identified no issues (0 silenced).\n" +
      "..............\n----------------------------------------------------------------------\n" +
      "Ran 14 tests in 0.842s\n\nOK (skipped=2)\nDestroying test database for alias 'default'...",
    "pass",
    "12/0",
  ],
  [
    "Django import error before tests",
    "./runtests.py nothing",
    1,
    "Testing against Django installed in '/testbed/django' with up to 4 processes\n" +
      'Traceback (most recent call last):\n  File "./runtests.py", line 600, in <module>\n' +
      "    failures = django_tests(\nModuleNotFoundError: No module named 'nothing'",
    "fail",
  ],
  [
    "Django system check failure",
    "python manage.py test",
    1,
    "SystemCheckError: System check identified some issues:\n\nERRORS:\n" +
      "app.Model: (models.E001) bad\n\nSystem check identified 1 issue (0 silenced).",
    "fail",
  ],
  [
    "unittest verbose with expected failures",
    "python -m unittest -v",
    undefined,
    "test_a (t.T) ... ok\ntest_b (t.T) ... expected failure\n\n------------------------------------------------------" +
      "----------------\nRan 2 tests in 0.001s\n\nOK (expected failures=1)",
    "pass",
  ],
  [
    "unittest with an import error",
    "python -m unittest tests.test_a",
    undefined,
    "E\n======================================================================\n" +
      "ERROR: test_a (unittest.loader._FailedTest)\n" +
      "-------------------------------------------------------------------" +
      "---\nImportError: Failed to import test module: test_a\n\n" +
      "------------------------------------------------------" +
      "----------------\nRan 1 test in 0.000s\n\nFAILED (errors=1)",
    "fail",
    "0/1",
  ],
  [
    "nose",
    "nosetests -v",
    undefined,
    "tests.test_a.test_one ... ok\ntests.test_a.test_two ... FAIL\n" +
      "\n======================================================================\n" +
      "FAIL: tests.test_a.test_two\n----------------------------------------------------------------------\n" +
      "Ran 2 tests in 0.003s\n\nFAILED (failures=1)",
    "fail",
    "1/1",
  ],
  [
    "doctest failures",
    "python -m doctest a.py",
    1,
    "**********************************************************************\n" +
      'File "a.py", line 4, in a.f\nFailed example:\n    f(1)\nExpected:\n' +
      "    2\nGot:\n    1\n**********************************************************************\n" +
      "1 items had failures:\n   1 of   2 in a.f\n***Test Failed*** 1 failures.",
    "fail",
  ],
  [
    "doctest failures without a code",
    "python -m doctest a.py",
    undefined,
    "**********************************************************************\n" +
      'File "a.py", line 4, in a.f\nFailed example:\n    f(1)\n1 items had failures:\n' +
      "   1 of   2 in a.f\n***Test Failed*** 1 failures.",
    "fail",
  ],
  [
    "jest green with a coverage table",
    "npx jest --coverage",
    undefined,
    "PASS src/a.test.js\n  ✓ adds (2 ms)\n\n----------|---------|----------|---------|---------|-------------------\n" +
      "File      | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s \n" +
      "----------|---------|----------|---------|---------|-------------------\n" +
      "All files |     100 |      100 |     100 |     100 |                   \n" +
      "----------|---------|----------|---------|---------|-------------------\n" +
      "Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n" +
      "Snapshots:   0 total\nTime:        0.8 s\nRan all test suites.",
    "pass",
    "1/0",
  ],
  [
    "jest coverage threshold not met",
    "npx jest --coverage",
    1,
    'Jest: "global" coverage threshold for lines (80%) not met: 71.2%\n' +
      "Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n" +
      "Snapshots:   0 total\nTime:        0.8 s",
    "fail",
  ],
  [
    "jest watch mode",
    "npm test",
    undefined,
    "PASS src/a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n" +
      "Snapshots:   0 total\nTime:        0.8 s\nRan all test suites related to changed files.\n" +
      "\nWatch Usage\n › Press a to run all tests.\n › Press f to run only failed tests.\n" +
      " › Press q to quit watch mode.",
    "pass",
    "3/0",
  ],
  [
    "jest with a snapshot that became obsolete",
    "npx jest",
    undefined,
    "Test Suites: 4 passed, 4 total\nTests:       1 skipped, 20 passed, 21 total\n" +
      "Snapshots:   1 obsolete, 5 passed, 5 total\nTime:        3 s",
    "pass",
    "20/0",
  ],
  [
    "jest that found nothing by name",
    "npx jest -t nothing",
    undefined,
    "Test Suites: 3 skipped, 0 of 3 total\nTests:       10 skipped, 10 total\n" +
      'Snapshots:   0 total\nTime:        1 s\nRan all test suites with tests matching "nothing".',
    "unknown",
  ],
  [
    "jest red, quiet tail",
    "npx jest 2>&1 | tail -5",
    0,
    "Test Suites: 1 failed, 11 passed, 12 total\nTests:       2 failed, 97 passed, 99 total\n" +
      "Snapshots:   0 total\nTime:        4.2 s\nRan all test suites.",
    "fail",
    "97/2",
  ],
  [
    "vitest green, coloured",
    "npx vitest run",
    undefined,
    " \u001b[32m✓\u001b[39m src/a.test.ts \u001b[2m(\u001b[22m\u001b[2m3 tests\u001b[22m\u001b[2m)\u001b[22m\u001b[90" +
      "m 2\u001b[2mms\u001b[22m\u001b[39m\n\n\u001b[2m Test Files \u001b[22m \u001b[1m\u001b[32m1 " +
      "passed\u001b[39m\u001b" +
      "[22m\u001b[90m (1)\u001b[39m\n\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m3 " +
      "passed\u001b[39m\u001b[22m\u001b" +
      "[90m (3)\u001b[39m\n\u001b[2m   Start at \u001b[22m 10:00:00\n" +
      "\u001b[2m   Duration \u001b[22m 200ms",
    "pass",
    "3/0",
  ],
  [
    "vitest unhandled error beside green tests",
    "npx vitest run",
    undefined,
    " ✓ src/a.test.ts (3 tests) 2ms\n\n⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯\n" +
      "\nVitest caught 1 unhandled error during the test run.\n\n Test Files  1 passed (1)\n" +
      "      Tests  3 passed (3)\n     Errors  1 error\n   Start at  10:00:00",
    "fail",
  ],
  [
    "vitest watch",
    "npx vitest",
    undefined,
    " ❯ src/a.test.ts (2 tests | 1 failed) 5ms\n   × subtracts\n\n" +
      " Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n" +
      "   Start at  10:00:00\n   Duration  300ms\n\n FAIL  Tests failed. Watching for file changes...\n" +
      "       press h to show help, press q to quit",
    "fail",
    "1/1",
  ],
  [
    "vitest with failed type check",
    "npx vitest --typecheck",
    undefined,
    " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 6 passed (7)\nType Errors  1 error",
    "fail",
  ],
  [
    "two runners in one, the second red",
    "npm run test:unit && npm run test:e2e",
    undefined,
    "> unit\n> vitest run\n\n Test Files  2 passed (2)\n      Tests  9 passed (9)\n" +
      "\n> e2e\n> playwright test\n\nRunning 3 tests using 1 worker\n" +
      "\n  1) [chromium] › a.spec.ts:3:1 › logs in ─────\n\n  1 failed\n" +
      "    [chromium] › a.spec.ts:3:1 › logs in ─────\n  2 passed (4.2s)",
    "fail",
  ],
  [
    "two runners in one, the first red",
    "npx jest; pytest",
    undefined,
    "Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 passed, 3 total\n" +
      "============================== 12 passed in 0.52s ==============================",
    "fail",
  ],
  [
    "two runners, both green",
    "npx jest && pytest -q",
    0,
    "Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n\n12 passed in 0.52s",
    "pass",
  ],
  [
    "workspaces: one package red in the middle",
    "pnpm -r test",
    undefined,
    "packages/a test$ vitest run\npackages/a test:  Test Files  1 passed (1)\n" +
      "packages/a test:       Tests  3 passed (3)\npackages/a test: Done\n" +
      "packages/b test$ vitest run\npackages/b test:  FAIL  src/b.test.ts > b\n" +
      "packages/b test:  Test Files  1 failed (1)\npackages/b test:       Tests  1 failed | 2 passed (3)\n" +
      "packages/b test: Failed\n ERR_PNPM_RECURSIVE_RUN_FIRST_FAIL  b@1.0.0 test: `vitest run`\n" +
      "Exit status 1",
    "fail",
  ],
  [
    "turbo: all green",
    "npx turbo run test",
    undefined,
    "a:test:  Test Files  1 passed (1)\na:test:       Tests  3 passed (3)\n" +
      "b:test:  Test Files  1 passed (1)\nb:test:       Tests  4 passed (4)\n" +
      "\n Tasks:    2 successful, 2 total\nCached:    0 cached, 2 total\n" +
      "  Time:    3.1s",
    "pass",
  ],
  [
    "turbo: one red",
    "npx turbo run test",
    undefined,
    "a:test:  Test Files  1 passed (1)\na:test:       Tests  3 passed (3)\n" +
      "b:test:  Test Files  1 failed (1)\nb:test:       Tests  1 failed | 3 passed (4)\n" +
      "\n Tasks:    1 successful, 2 total\nCached:    0 cached, 2 total\n" +
      "  Time:    3.1s \nFailed:    b#test\n\n ERROR  run failed: command  exited (1)",
    "fail",
  ],
  [
    "mocha with pending",
    "npx mocha",
    undefined,
    "  a\n    ✔ one\n    - two\n\n\n  1 passing (4ms)\n  1 pending\n",
    "pass",
    "1/0",
  ],
  [
    "mocha uncaught outside",
    "npx mocha",
    1,
    '  a\n    ✔ one\n    1) "before all" hook\n\n  1 passing (4ms)\n' +
      '  1 failing\n\n  1) a\n       "before all" hook:\n     Error: boom',
    "fail",
    "1/1",
  ],
  [
    "TAP from tape",
    "node test.js",
    undefined,
    "TAP version 13\n# a\nok 1 x\nnot ok 2 y\n  ---\n    operator: equal\n" +
      "  ...\n\n1..2\n# tests 2\n# pass  1\n# fail  1",
    "fail",
    "1/1",
  ],
  [
    "node test runner, cancelled",
    "node --test",
    undefined,
    "ℹ tests 3\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 1\nℹ skipped 0\nℹ todo 0\nℹ duration_ms 100",
    "fail",
  ],
  [
    "node test runner, only skipped",
    "node --test",
    undefined,
    "ℹ tests 2\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 2\nℹ todo 0",
    "unknown",
  ],
  [
    "karma",
    "npx karma start --single-run",
    undefined,
    "Chrome Headless 120.0.0.0 (Linux x86_64): Executed 24 of 24 SUCCESS (0.31 secs / 0.25 secs)\nTOTAL: 24 SUCCESS",
    "pass",
    "24/0",
  ],
  [
    "karma, red",
    "npx ng test --watch=false",
    undefined,
    "Chrome Headless 120.0.0.0 (Linux x86_64) AppComponent should create FAILED\n" +
      "\tError: No provider\nChrome Headless 120.0.0.0 (Linux x86_64): Executed 24 of 24 (1 FAILED) (0.31 " +
      "secs / 0.25 " +
      "secs)\nTOTAL: 1 FAILED, 23 SUCCESS",
    "fail",
    "23/1",
  ],
  [
    "jasmine",
    "npx jasmine",
    undefined,
    "Started\n..F.\n\nFailures:\n1) a does b\n  Message:\n    Expected 1 to be 2.\n" +
      "\n4 specs, 1 failure\nFinished in 0.01 seconds",
    "fail",
  ],
  [
    "jasmine green",
    "npx jasmine",
    undefined,
    "Started\n....\n\n\n4 specs, 0 failures\nFinished in 0.01 seconds",
    "pass",
    "4/0",
  ],
  [
    "jasmine incomplete",
    "npx jasmine",
    undefined,
    "Started\n\n\nNo specs found\nFinished in 0.001 seconds\nIncomplete: No specs found",
    "unknown",
  ],
  [
    "go, verbose with skips",
    "go test -v ./...",
    undefined,
    "=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:5: no network\n" +
      "--- SKIP: TestB (0.00s)\nPASS\nok  \texample.com/a\t0.003s",
    "pass",
  ],
  [
    "go, a package that does not build beside a green one",
    "go test ./...",
    undefined,
    "# example.com/b\nb/b.go:7:2: undefined: foo\nok  \texample.com/a\t0.003s\n" +
      "FAIL\texample.com/b [build failed]\nFAIL",
    "fail",
  ],
  [
    "go, data race",
    "go test -race ./...",
    undefined,
    "==================\nWARNING: DATA RACE\nRead at 0x00c0 by goroutine 7:\n" +
      "==================\n--- FAIL: TestA (0.00s)\n    testing.go:1446: race detected during execution of test\n" +
      "FAIL\nFAIL\texample.com/a\t0.010s\nFAIL",
    "fail",
  ],
  [
    "go, timeout",
    "go test ./...",
    undefined,
    "panic: test timed out after 10m0s\n\ngoroutine 17 [running]:\n" +
      "testing.(*M).startAlarm.func1()\nFAIL\texample.com/a\t600.01s\n" +
      "FAIL",
    "fail",
  ],
  [
    "go, cached",
    "go test ./...",
    undefined,
    "ok  \texample.com/a\t(cached)\n?   \texample.com/b\t[no test files]",
    "pass",
  ],
  [
    "cargo, several binaries, doc tests red",
    "cargo test",
    undefined,
    "     Running unittests src/lib.rs (target/debug/deps/a-1)\n\n" +
      "running 3 tests\ntest a ... ok\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; " +
      "finished in 0.00s\n\n   Doc-tests a\n\nrunning 1 test\ntest src/lib.rs - f (line 3) ... FAILED\n" +
      "\nfailures:\n    src/lib.rs - f (line 3)\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; " +
      "0 filtered out; finished in 0.20s\n\nerror: doctest failed, to rerun pass `--doc`",
    "fail",
    "3/1",
  ],
  [
    "cargo that does not compile, through tail",
    "cargo test 2>&1 | tail -4",
    0,
    "For more information about this error, try `rustc --explain E0308`.\n" +
      "warning: `a` (lib test) generated 1 warning\nerror: could not compile `a` (lib test) due to 2 previous " +
      "errors; " +
      "1 warning emitted\nwarning: build failed, waiting for other jobs to finish...",
    "fail",
  ],
  [
    "cargo, everything filtered out",
    "cargo test nothing",
    undefined,
    "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 12 filtered out; finished in 0.00s",
    "unknown",
  ],
  [
    "maven, compilation error",
    "mvn test",
    undefined,
    "[INFO] Compiling 12 source files\n[ERROR] COMPILATION ERROR : \n" +
      "[ERROR] /app/src/main/java/A.java:[3,8] cannot find symbol\n" +
      "[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal " +
      "org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compil" +
      "e",
    "fail",
  ],
  ["maven quiet, green", "mvn -q test", 0, "", "pass"],
  [
    "maven multi-module",
    "mvn test",
    undefined,
    "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.ATest\n" +
      "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n[INFO] Tests run: 2, Failures: 0, Errors: 1, " +
      "Skipped: " +
      "0, Time elapsed: 0.1 s <<< FAILURE! -- in b.BTest\n[ERROR] Tests run: 2, Failures: 0, Errors: 1, Skipped: 0\n" +
      "[INFO] BUILD FAILURE",
    "fail",
    "4/1",
  ],
  [
    "gradle red",
    "./gradlew test",
    undefined,
    "> Task :test FAILED\n\nFooTest > adds() FAILED\n    org.opentest4j.AssertionFailedError at FooTest.java:12\n" +
      "\n4 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n" +
      "\nBUILD FAILED in 3s",
    "fail",
    "3/1",
  ],
  [
    "gradle up to date",
    "./gradlew test",
    undefined,
    "> Task :compileJava UP-TO-DATE\n> Task :test UP-TO-DATE\n\nBUILD SUCCESSFUL in 1s\n" +
      "3 actionable tasks: 3 up-to-date",
    "pass",
  ],
  [
    "dotnet, many projects",
    "dotnet test",
    undefined,
    "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12, Duration: 30 ms - A.Tests.dll (net8.0)\n" +
      "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 30 ms - B.Tests.dll (net8.0)",
    "fail",
    "15/1",
  ],
  [
    "rspec with pending",
    "bundle exec rspec",
    undefined,
    "Finished in 0.2 seconds (files took 1.1 seconds to load)\n10 examples, 0 failures, 2 pending\n",
    "pass",
    "8/0",
  ],
  [
    "rspec load error",
    "bundle exec rspec",
    undefined,
    "An error occurred while loading ./spec/a_spec.rb.\nFailure/Error: require 'nothing'\n" +
      "\nFinished in 0.00002 seconds\n0 examples, 0 failures, 1 error occurred outside of examples",
    "fail",
  ],
  [
    "phpunit with warnings",
    "vendor/bin/phpunit",
    undefined,
    "OK, but incomplete, skipped, or risky tests!\nTests: 12, Assertions: 30, Skipped: 2.",
    "pass",
    "10/0",
  ],
  [
    "phpunit deprecations",
    "vendor/bin/phpunit",
    undefined,
    "OK, but there were issues!\nTests: 12, Assertions: 30, Deprecations: 4.",
    "pass",
    "12/0",
  ],
  [
    "ctest subset",
    "ctest -R foo",
    undefined,
    "Test project /b\n    Start 1: foo\n1/1 Test #1: foo ..............................   Passed    0.01 sec\n" +
      "\n100% tests passed, 0 tests failed out of 1\n\nTotal Test time (real) =   0.01 sec",
    "pass",
    "1/0",
  ],
  [
    "GoogleTest",
    "./build/unit_tests",
    undefined,
    "[==========] Running 3 tests from 1 test suite.\n[ RUN      ] A.b\n" +
      "[       OK ] A.b (0 ms)\n[ RUN      ] A.c\na.cc:5: Failure\n" +
      "[  FAILED  ] A.c (0 ms)\n[==========] 3 tests from 1 test suite ran. (0 ms total)\n" +
      "[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.c\n" +
      "\n 1 FAILED TEST",
    "fail",
    "2/1",
  ],
  [
    "GoogleTest green",
    "./build/unit_tests",
    undefined,
    "[==========] Running 3 tests from 1 test suite.\n[       OK ] A.b (0 ms)\n" +
      "[==========] 3 tests from 1 test suite ran. (0 ms total)\n[  PASSED  ] 3 tests.",
    "pass",
    "3/0",
  ],
  [
    "Catch2",
    "./tests/unit_tests",
    undefined,
    "===============================================================================\n" +
      "All tests passed (52 assertions in 12 test cases)\n",
    "pass",
  ],
  [
    "Catch2 red",
    "./tests/unit_tests",
    undefined,
    "===============================================================================\n" +
      "test cases: 12 | 11 passed | 1 failed\nassertions: 52 | 51 passed | 1 failed",
    "fail",
    "11/1",
  ],
  [
    "swift",
    "swift test",
    undefined,
    "Test Suite 'All tests' passed at 2024-01-01 10:00:00.000.\n\t Executed 12 tests, with 0 failures (0 unexpected) " +
      "in 0.031 (0.033) seconds",
    "pass",
    "12/0",
  ],
  [
    "swift red",
    "swift test",
    undefined,
    "Test Case '-[ATests.A testB]' failed (0.1 seconds).\nTest Suite 'All tests' failed at 2024-01-01 10:00:00.000.\n" +
      "\t Executed 12 tests, with 1 failure (0 unexpected) in 0.031 (0.033) seconds",
    "fail",
    "11/1",
  ],
  [
    "mix",
    "mix test",
    undefined,
    "..\n\n  1) test greets (FooTest)\n     test/foo_test.exs:5\n" +
      "     Assertion with == failed\n\nFinished in 0.03 seconds\n1 doctest, 2 tests, 1 failure",
    "fail",
  ],
  [
    "mix green",
    "mix test",
    undefined,
    "...\n\nFinished in 0.03 seconds (0.00s async, 0.03s sync)\n1 doctest, 2 tests, 0 failures\n" +
      "\nRandomized with seed 0",
    "pass",
    "3/0",
  ],
  ["flutter", "flutter test", undefined, "00:02 +12: All tests passed!", "pass"],
  ["flutter red", "flutter test", undefined, "00:02 +11 -1: Some tests failed.", "fail"],
  [
    "bazel",
    "bazel test //...",
    undefined,
    "INFO: Build completed successfully, 5 total actions\n//foo:foo_test                                         " +
      "                  PASSED in 0.3s\n//bar:bar_test                                                       " +
      "    FAILE" +
      "D in 0.3s\n\nExecuted 2 out of 2 tests: 1 test passes and 1 fails locally.",
    "fail",
  ],
  [
    "bazel green",
    "bazel test //...",
    undefined,
    "//foo:foo_test                                                  (cached) PASSED in 0.3s\n" +
      "\nExecuted 0 out of 1 test: 1 test passes.\n",
    "pass",
  ],
  [
    "a wrapper that prints the code in words",
    "./run.sh",
    undefined,
    "Running tests...\nTests finished with exit code 1",
    "fail",
  ],
  [
    "tox with several environments",
    "tox",
    undefined,
    "py310: OK (3.1=setup[1.0]+cmd[2.1] seconds)\n  py311: FAIL code 1 (3.1=setup[1.0]+cmd[2.1] seconds)\n" +
      "  evaluation failed :( (6.5 seconds)",
    "fail",
  ],
  [
    "nox",
    "nox -s tests",
    undefined,
    "nox > Running session tests\nnox > pytest\n3 passed in 0.10s\nnox > Session tests was successful.",
    "pass",
    "3/0",
  ],
  [
    "nox red",
    "nox",
    undefined,
    "nox > Running session tests\nnox > Command pytest failed with exit code 1\nnox > Session tests failed.",
    "fail",
  ],
  ["timeout in words", "timeout 10 npm test", 124, "> test\n> jest\n", "unknown"],
  [
    "out of memory",
    "npx jest",
    134,
    "<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n" +
      "Aborted (core dumped)",
    "fail",
  ],
  [
    "segmentation fault",
    "make test",
    2,
    "./run_tests\nmake: *** [Makefile:12: test] Segmentation fault (core dumped)",
    "fail",
  ],
  [
    "npm's own failure around jest",
    "npm test",
    undefined,
    "> a@1.0.0 test\n> jest\n\nTests:       1 failed, 1 total\nnpm ERR! Test failed.  See above for more details.",
    "fail",
  ],
  [
    "the default script of npm init",
    "npm test",
    1,
    '> a@1.0.0 test\n> echo "Error: no test specified" && exit 1\n\nError: no test specified',
    "unknown",
  ],
  [
    "a test called like a failure",
    "pytest -v",
    undefined,
    "tests/test_a.py::test_failed_login PASSED                                [ 50%]\n" +
      "tests/test_a.py::test_error_is_raised PASSED                              [100%]\n" +
      "\n============================== 2 passed in 0.02s ===============================",
    "pass",
    "2/0",
  ],
  [
    "logged errors in green output",
    "npx jest",
    undefined,
    "  console.error\n    Error: connection failed\n      at Object.<anonymous> (src/a.js:1:1)\n" +
      "\nPASS src/a.test.js\nTest Suites: 1 passed, 1 total\nTests:       1 passed, 1 total",
    "pass",
    "1/0",
  ],
  ["a file that merely speaks of tests", "npm test", undefined, "hello world", "unknown"],
  // The second half, written after the first had been mended.
  [
    "OpenHands: pytest with its own footer",
    "cd /testbed && pytest -q tests/test_a.py",
    undefined,
    ".F.                                                                      [100%]\n" +
      "=================================== FAILURES ===================================\n" +
      "_________________________________ test_b _________________________________\n" +
      "\n    def test_b():\n>       assert f() == 2\nE       assert 1 == 2\n" +
      "\ntests/test_a.py:5: AssertionError\n=========================== short test summary info " +
      "=======================" +
      "=====\nFAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed, 2 passed in 0.05s\n" +
      "[The command completed with exit code 1.]\n[Current working directory: /testbed]\n" +
      "[Python interpreter: /opt/bin/python]\n[Command finished with exit code 1]",
    "fail",
    "2/1",
  ],
  [
    "OpenHands: green with its own footer",
    "cd /testbed && pytest -q tests/test_a.py",
    undefined,
    "...                                                                      [100%]\n" +
      "3 passed in 0.05s\n[The command completed with exit code 0.]\n" +
      "[Current working directory: /testbed]\n[Command finished with exit code 0]",
    "pass",
    "3/0",
  ],
  [
    "OpenHands: the middle is left out",
    "pytest tests",
    undefined,
    "============================= test session starts ==============================\n" +
      "collected 500 items\n\ntests/test_a.py .....\n[... Observation truncated due to length ...]\n" +
      "tests/test_z.py .....                                                    [100%]\n" +
      "\n============================= 500 passed in 31.20s =============================\n" +
      "[Command finished with exit code 0]",
    "pass",
    "500/0",
  ],
  [
    "mini-swe-agent: red",
    "python -m pytest -x",
    undefined,
    "<returncode>1</returncode>\n<output>\nF\n=== FAILURES ===\nE   AssertionError\n" +
      "=== short test summary info ===\nFAILED t.py::test_a\n!!! stopping after 1 failures !!!\n" +
      "1 failed in 0.10s\n</output>",
    "fail",
    "0/1",
  ],
  [
    "mini-swe-agent: cut output",
    "pytest | tail -50",
    undefined,
    "<returncode>0</returncode>\n<output_head>\ntests/a.py ....... [ 10%]\n" +
      "</output_head>\n<elided_chars>\n5000 characters elided\n</elided_chars>\n" +
      "<output_tail>\ntests/z.py ....... [100%]\n</output_tail>",
    "unknown",
  ],
  [
    "Codex: green",
    "npm test",
    undefined,
    "Exit code: 0\nWall time: 2.1 seconds\nOutput:\n\n> a@1.0.0 test\n> mocha\n\n  4 passing (8ms)\n",
    "pass",
    "4/0",
  ],
  [
    "Codex: red as JSON",
    "cargo test",
    undefined,
    '{"output":"running 2 tests\\ntest a ... ok\\ntest b ... FAILED\\n\\ntest result: FAILED. 1 passed; 1 failed; ' +
      "0 ignored; 0 measured; 0 filtered out\\n\\nerror: test failed, to rerun pass " +
      '`--lib`\\n","metadata":{"exit_code"' +
      ':101,"duration_seconds":1.2}}',
    "fail",
    "1/1",
  ],
  [
    "Claude Code: red with its line in front",
    "npx vitest run",
    undefined,
    "Error: Exit code 1\n ❯ src/a.test.ts (1 test | 1 failed)\n\n Test Files  1 failed (1)\n      Tests  1 failed (1)",
    "fail",
    "0/1",
  ],
  [
    "Gemini CLI: green",
    "go test ./...",
    undefined,
    "Command: go test ./...\nDirectory: (root)\nStdout: ok  \texample.com/a\t0.010s\n" +
      "Stderr: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)",
    "pass",
  ],
  [
    "pytest: a plugin's report behind the summary",
    "pytest",
    undefined,
    "============================== 4 passed in 0.10s ===============================\n" +
      "\nGenerated html report: file:///app/report.html\nerror_count.csv written",
    "pass",
    "4/0",
  ],
  [
    "pytest: slowest durations around it",
    "pytest --durations=3",
    undefined,
    "....                                                                     [100%]\n" +
      "============================= slowest 3 durations ==============================\n" +
      "1.20s call     tests/test_a.py::test_failed_state\n0.10s setup    tests/test_a.py::test_b\n" +
      "4 passed in 1.50s",
    "pass",
    "4/0",
  ],
  [
    "pytest: errors at teardown",
    "pytest -q",
    undefined,
    ".E                                                                       [100%]\n" +
      "==================================== ERRORS ====================================\n" +
      "___________________________ ERROR at teardown of test_a ___________________________\n" +
      "E   RuntimeError: x\n=========================== short test summary info ============================\n" +
      "ERROR tests/test_a.py::test_a - RuntimeError: x\n1 passed, 1 error in 0.02s",
    "fail",
  ],
  [
    "pytest: cut after the failures began",
    "pytest 2>&1 | head -60",
    0,
    "tests/test_a.py ..F..\n\n=================================== FAILURES ===================================\n" +
      "____________________________________ test_c ____________________________________\n" +
      "\n    def test_c():\n>       assert 1 == 2\nE       assert 1 == 2",
    "fail",
  ],
  [
    "pytest: interrupted by the user",
    "pytest",
    2,
    "tests/test_a.py ..\n\n!!!!!!!!!!!!!!!!!!!!!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!\n" +
      "/app/x.py:3: KeyboardInterrupt\n============================== 2 passed in 9.12s " +
      "===============================",
    "fail",
  ],
  ["pytest: no module", "python -m pytest", 1, "/usr/bin/python: No module named pytest", "unknown"],
  [
    "pytest: twice, first red then green",
    "pytest tests/a.py; pytest tests/b.py",
    undefined,
    "F [100%]\n1 failed in 0.01s\n. [100%]\n1 passed in 0.01s",
    "fail",
  ],
  [
    "pytest: twice, first green then red",
    "pytest tests/a.py; pytest tests/b.py",
    undefined,
    ".                                                                        [100%]\n" +
      "1 passed in 0.01s\nF                                                                        [100%]\n" +
      "1 failed in 0.01s",
    "fail",
    "1/1",
  ],
  [
    "pytest: only passed words by grep",
    "pytest 2>&1 | grep -E 'passed|failed'",
    0,
    "============ 3 failed, 40 passed, 2 warnings in 3.11s ============",
    "fail",
    "40/3",
  ],
  [
    "pytest: benchmark table",
    "pytest --benchmark-only",
    undefined,
    "------------------ benchmark: 2 tests ------------------\nName (time in us)         Min     Max\n" +
      "test_a                   1.0     2.0\n--------------------------------------------------------\n" +
      "======================= 2 passed, 10 skipped in 4.02s =======================",
    "pass",
    "2/0",
  ],
  [
    "Django: errors and skipped",
    "python manage.py test",
    undefined,
    "Found 8 test(s).\nCreating test database for alias 'default'...\n" +
      "System check identified no issues (0 silenced).\nE..s...F\n" +
      "=====================================================" +
      "=================\nERROR: test_a (app.tests.A)\n" +
      "----------------------------------------------------------------" +
      "------\nTraceback (most recent call last):\nValueError\n\n" +
      "======================================================" +
      "================\nFAIL: test_h (app.tests.A)\n" +
      "------------------------------------------------------------------" +
      "----\nRan 8 tests in 0.102s\n\nFAILED (failures=1, errors=1, skipped=1)\n" +
      "Destroying test database for alias 'default'...",
    "fail",
    "5/2",
  ],
  [
    "Django: nothing found",
    "python manage.py test nothing",
    undefined,
    "Found 0 test(s).\nSystem check identified no issues (0 silenced).\n" +
      "\n----------------------------------------------------------------------\n" +
      "Ran 0 tests in 0.000s\n\nOK",
    "unknown",
  ],
  [
    "Django: parallel",
    "./tests/runtests.py --parallel 4 utils_tests",
    undefined,
    "Testing against Django installed in '/testbed/django' with up to 4 processes\n" +
      "Found 200 test(s).\nCreating test database for alias 'default'...\n" +
      "Cloning test database for alias 'default'...\n....................................\n" +
      "----------------------------------------------------------------------\n" +
      "Ran 200 tests in 3.2s\n\nOK\nDestroying test database for alias 'default'...",
    "pass",
    "200/0",
  ],
  [
    "Django: cut before the end",
    "./tests/runtests.py | head -5",
    0,
    "Testing against Django installed in '/testbed/django' with up to 4 processes\n" +
      "Found 200 test(s).\nCreating test database for alias 'default'...\n" +
      "....................................",
    "unknown",
  ],
  ["unittest: only the tail", "python -m unittest 2>&1 | tail -3", 0, "Ran 12 tests in 0.1s\n\nOK", "pass", "12/0"],
  ["unittest: only the verdict", "python -m unittest 2>&1 | tail -1", 0, "FAILED (failures=2)", "fail", "0/2"],
  ["unittest: only OK", "python -m unittest 2>&1 | tail -1", 0, "OK", "pass"],
  [
    "jest: a suite that could not run beside green tests",
    "npx jest",
    undefined,
    " FAIL  src/b.test.ts\n  ● Test suite failed to run\n\n    Cannot find module './b' from 'src/b.test.ts'\n" +
      "\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total\n" +
      "Snapshots:   0 total",
    "fail",
  ],
  [
    "jest: json",
    "npx jest --json",
    undefined,
    '{"numFailedTestSuites":1,"numFailedTests":2,"numPassedTests":10,"numTotalTests":12,"success":false}',
    "fail",
    "10/2",
  ],
  [
    "jest: did not exit",
    "npx jest",
    undefined,
    "Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n" +
      "Snapshots:   0 total\nTime:        1 s\nRan all test suites.\n" +
      "Jest did not exit one second after the test run has completed.",
    "pass",
    "2/0",
  ],
  [
    "jest: retried",
    "npm test 2>&1 | tail -6",
    0,
    "Test Suites: 12 passed, 12 total\nTests:       3 todo, 120 passed, 123 total\n" +
      "Snapshots:   4 passed, 4 total\nTime:        10.1 s, estimated 12 s\n" +
      "Ran all test suites.",
    "pass",
    "120/0",
  ],
  [
    "jest: only the failing parts by grep",
    "npx jest 2>&1 | grep -E '✓|✕'",
    0,
    "    ✓ adds (2 ms)\n    ✕ subtracts (3 ms)\n    ✓ multiplies",
    "fail",
  ],
  [
    "vitest: only marks by grep",
    "npx vitest run --reporter=verbose 2>&1 | grep -E '✓|×'",
    0,
    " ✓ src/a.test.ts > adds 2ms\n × src/a.test.ts > subtracts 3ms",
    "fail",
  ],
  [
    "vitest: dot",
    "npx vitest run --reporter=dot",
    undefined,
    "·····\n\n Test Files  1 passed (1)\n      Tests  5 passed (5)\n" +
      "   Start at  10:00:00\n   Duration  100ms (transform 1ms, setup 0ms)",
    "pass",
    "5/0",
  ],
  [
    "vitest: coverage threshold",
    "npx vitest run --coverage",
    1,
    " Test Files  1 passed (1)\n      Tests  5 passed (5)\n\n % Coverage report from v8\n" +
      "ERROR: Coverage for lines (61%) does not meet global threshold (80%)",
    "fail",
  ],
  [
    "vitest: startup error",
    "npx vitest run",
    1,
    "failed to load config from /app/vitest.config.ts\n\n⎯⎯⎯⎯⎯⎯⎯ Startup Error ⎯⎯⎯⎯⎯⎯⎯⎯\nError: Cannot find module 'x'",
    "fail",
  ],
  [
    "playwright: flaky",
    "npx playwright test",
    undefined,
    "Running 3 tests using 1 worker\n\n  1 flaky\n    [chromium] › a.spec.ts:3:1 › logs in ─────\n  2 passed (4.2s)",
    "pass",
  ],
  [
    "playwright: minutes",
    "npx playwright test",
    undefined,
    "Running 30 tests using 4 workers\n\n  30 passed (1.5m)",
    "pass",
    "30/0",
  ],
  [
    "playwright: browser missing",
    "npx playwright test",
    undefined,
    "Running 1 test using 1 worker\n\n  1) [chromium] › a.spec.ts:3:1 › x ───\n" +
      "\n    Error: browserType.launch: Executable doesn't exist at /home/me/.cache/ms-playwright/chromium\n" +
      "\n  1 failed\n    [chromium] › a.spec.ts:3:1 › x ────",
    "fail",
    "0/1",
  ],
  [
    "cypress: table at the end",
    "npx cypress run",
    undefined,
    "       Spec                                              Tests  Passing  Failing  Pending  Skipped  \n" +
      "  ┌────────────────────────────────────────────────────────────────────────────────────────────────┐\n" +
      "  │ ✔  a.cy.js                                  00:01        3        3        -        -        - │\n" +
      "  └────────────────────────────────────────────────────────────────────────────────────────────────┘\n" +
      "    ✔  All specs passed!                        00:01        3        3        -        -        -  ",
    "pass",
  ],
  [
    "node: spec reporter with suites",
    "node --test",
    undefined,
    "▶ math\n  ✔ adds (0.5ms)\n  ✖ subtracts (0.6ms)\n▶ math (2ms)\n" +
      "ℹ tests 2\nℹ suites 1\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\nℹ skipped 0\n" +
      "ℹ todo 0\nℹ duration_ms 50",
    "fail",
    "1/1",
  ],
  [
    "node: an assertion in a plain script",
    "node test.js",
    1,
    "node:assert:126\n  throw new AssertionError(obj);\n  ^\n\nAssertionError [ERR_ASSERTION]: Expected values to " +
      "be strictly equal",
    "fail",
  ],
  [
    "mocha: spec with a failing hook, no code",
    "npx mocha",
    undefined,
    '  0 passing (3ms)\n  1 failing\n\n  1) "before each" hook for "x":\n     TypeError: y is not a function',
    "fail",
    "0/1",
  ],
  ["mocha: json stream cut", "npx mocha --reporter min | head -2", 0, "  12 passing (20ms)", "pass", "12/0"],
  [
    "lerna: npm errors behind green and red",
    "npx lerna run test",
    undefined,
    "lerna info run Ran npm script 'test' in '@a/x' in 1.0s:\n  4 passing (8ms)\n" +
      "lerna ERR! npm run test exited 1 in '@a/y'\nlerna ERR! npm run test stdout:\n" +
      "  2 passing (8ms)\n  1 failing",
    "fail",
  ],
  [
    "yarn: classic failure",
    "yarn test",
    undefined,
    "yarn run v1.22.19\n$ jest\nTests:       1 failed, 4 passed, 5 total\n" +
      "error Command failed with exit code 1.\ninfo Visit https://yarnpkg.com/en/docs/cli/run for " +
      "documentation about " +
      "this command.",
    "fail",
    "4/1",
  ],
  ["pnpm: missing script", "pnpm test", 1, " ERR_PNPM_NO_SCRIPT  Missing script: test", "unknown"],
  [
    "npm: missing script",
    "npm test",
    1,
    'npm error Missing script: "test"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run',
    "unknown",
  ],
  [
    "npm: no package.json",
    "npm test",
    254,
    "npm error code ENOENT\nnpm error syscall open\nnpm error path /app/package.json\n" +
      "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory",
    "unknown",
  ],
  [
    "docker compose prefix, red",
    "docker compose up --exit-code-from test",
    undefined,
    "test-1  | ============================= test session starts ==============================\n" +
      "test-1  | collected 3 items\ntest-1  | tests/test_a.py ..F                                                  " +
      "    [100%]\ntest-1  | FAILED tests/test_a.py::test_c - assert 0\n" +
      "test-1  | ========================= 1 failed, 2 passed in 0.12s =========================\n" +
      "test-1 exited with code 1",
    "fail",
    "2/1",
  ],
  [
    "GitHub's log, green",
    "gh run view 1 --log",
    undefined,
    "2024-05-01T10:00:00.1234567Z ============================= test session starts ==============================\n" +
      "2024-05-01T10:00:01.1234567Z ============================== 12 passed in 0.52s ==============================",
    "pass",
    "12/0",
  ],
  [
    "concurrently, one red",
    "npm run test:all",
    undefined,
    "[unit] Tests:       3 passed, 3 total\n[e2e]   1 failed\n[e2e]     [chromium] › a.spec.ts:3:1 › x\n" +
      "[e2e]   2 passed (2s)\n[e2e] npm run e2e exited with code 1\n" +
      "[unit] npm run unit exited with code 0",
    "fail",
  ],
  [
    "pnpm recursive: the last package green, the one before red",
    "pnpm -r test",
    undefined,
    "packages/a test$ jest\npackages/a test: Tests:       1 failed, 3 passed, 4 total\n" +
      "packages/a test: Failed\npackages/b test$ jest\npackages/b test: Tests:       3 passed, 3 total\n" +
      "packages/b test: Done",
    "fail",
  ],
  [
    "go: verbose failure of a subtest",
    "go test -v ./pkg",
    undefined,
    "=== RUN   TestA\n=== RUN   TestA/x\n    a_test.go:9: got 1, want 2\n" +
      "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\nFAIL\n" +
      "FAIL\texample.com/pkg\t0.002s\nFAIL",
    "fail",
  ],
  [
    "go: json",
    "go test -json ./...",
    undefined,
    '{"Action":"run","Package":"a","Test":"TestA"}\n{"Action":"fail","Package":"a","Test":"TestA","Elapsed":0}\n' +
      '{"Action":"fail","Package":"a","Elapsed":0.01}',
    "fail",
  ],
  [
    "go: vet failure in a test build",
    "go test ./...",
    undefined,
    "# example.com/a\n./a_test.go:8:2: Printf format %d has arg x of wrong type string\n" +
      "FAIL\texample.com/a [build failed]\nok  \texample.com/b\t(cached)\n" +
      "FAIL",
    "fail",
  ],
  [
    "go: panics",
    "go test ./...",
    undefined,
    "--- FAIL: TestA (0.00s)\npanic: runtime error: index out of range [recovered]\n" +
      "\tpanic: runtime error: index out of range\n\ngoroutine 6 [running]:\n" +
      "FAIL\texample.com/a\t0.005s\nFAIL",
    "fail",
  ],
  [
    "go: coverage",
    "go test -cover ./...",
    undefined,
    "ok  \texample.com/a\t0.003s\tcoverage: 81.2% of statements\n\texample.com/cmd\t\tcoverage: 0.0% of statements",
    "pass",
  ],
  [
    "gotestsum",
    "gotestsum ./...",
    undefined,
    "✖  pkg/a (1ms)\n\n=== Failed\n=== FAIL: pkg/a TestX (0.00s)\n" +
      "    a_test.go:5: bad\n\nDONE 12 tests, 1 failure in 0.512s",
    "fail",
    "11/1",
  ],
  [
    "ginkgo",
    "ginkgo -r",
    undefined,
    "Ran 12 of 12 Specs in 0.003 seconds\nFAIL! -- 11 Passed | 1 Failed | 0 Pending | 0 Skipped\n" +
      "--- FAIL: TestBooks (0.00s)\nFAIL",
    "fail",
    "11/1",
  ],
  [
    "cargo: a test that panics by name only",
    "cargo test 2>&1 | grep -E '^test '",
    0,
    "test a::works ... ok\ntest a::breaks ... FAILED",
    "fail",
  ],
  [
    "cargo: all ok lines by grep",
    "cargo test 2>&1 | grep -E '^test '",
    0,
    "test a::works ... ok\ntest a::also ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtere" +
      "d out; finished in 0.00s",
    "pass",
    "2/0",
  ],
  [
    "cargo: workspace, one crate red in the middle",
    "cargo test --workspace --no-fail-fast",
    undefined,
    "test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n" +
      "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n" +
      "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n" +
      "error: 1 target failed:\n    `-p b --lib`",
    "fail",
    "8/2",
  ],
  [
    "nextest: red",
    "cargo nextest run",
    undefined,
    "────────────\n     Summary [   0.512s] 12 tests run: 11 passed, 1 failed, 2 skipped\n" +
      "        FAIL [   0.005s] core::a tests::b\nerror: test run failed",
    "fail",
    "11/1",
  ],
  [
    "maven: red, only the end",
    "mvn test | tail -20",
    0,
    "[ERROR] Failures: \n[ERROR]   FooTest.bar:12 expected: <1> but was: <2>\n" +
      "[INFO] \n[ERROR] Tests run: 30, Failures: 1, Errors: 0, Skipped: 2\n" +
      "[INFO] \n[INFO] ------------------------------------------------------------------------\n" +
      "[INFO] BUILD FAILURE",
    "fail",
    "27/1",
  ],
  ["maven: nothing to test, builds", "mvn test", undefined, "[INFO] No tests to run.\n[INFO] BUILD SUCCESS", "unknown"],
  [
    "defects4j",
    "defects4j test",
    undefined,
    "Running ant (compile.tests)................................................ OK\n" +
      "Running ant (run.dev.tests)................................................ OK\n" +
      "Failing tests: 1\n  - org.jfree.chart.FooTest::testBar",
    "fail",
    "0/1",
  ],
  [
    "defects4j green",
    "defects4j test",
    undefined,
    "Running ant (run.dev.tests)................................................ OK\nFailing tests: 0",
    "pass",
  ],
  [
    "ant junit",
    "ant test",
    undefined,
    "    [junit] Testsuite: a.FooTest\n    [junit] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: " +
      "0.02 sec\n    [junit] Test a.FooTest FAILED\n\nBUILD SUCCESSFUL",
    "fail",
    "3/1",
  ],
  [
    "JUnit console",
    "java -jar junit-platform-console.jar",
    undefined,
    "[         4 tests found           ]\n[         0 tests skipped         ]\n" +
      "[         4 tests started         ]\n[         3 tests successful      ]\n" +
      "[         1 tests failed          ]",
    "fail",
    "3/1",
  ],
  [
    "JUnit 4 text",
    "java org.junit.runner.JUnitCore FooTest",
    undefined,
    "JUnit version 4.13\n..\nTime: 0.005\n\nOK (2 tests)\n",
    "pass",
    "2/0",
  ],
  [
    "sbt ScalaTest",
    "sbt test",
    undefined,
    "[info] Run completed in 300 milliseconds.\n[info] Total number of tests run: 4\n" +
      "[info] Suites: completed 1, aborted 0\n[info] Tests: succeeded 3, failed 1, canceled 0, ignored 0, pending 0\n" +
      "[info] *** 1 TEST FAILED ***\n[error] Failed tests:\n[error] \tFooSpec",
    "fail",
    "3/1",
  ],
  [
    "rspec: coverage behind",
    "bundle exec rspec",
    undefined,
    "..........\n\nFinished in 0.12345 seconds (files took 0.9 seconds to load)\n" +
      "10 examples, 0 failures\n\nCoverage report generated for RSpec to /app/coverage. 120 / 130 LOC " +
      "(92.31%) covered.",
    "pass",
    "10/0",
  ],
  [
    "minitest: rails",
    "bin/rails test",
    undefined,
    "Run options: --seed 1234\n\n# Running:\n\n...F\n\nFailure:\n" +
      "UserTest#test_name [test/models/user_test.rb:5]:\nExpected false to be truthy.\n" +
      "\nFinished in 0.2s, 20.0 runs/s, 20.0 assertions/s.\n4 runs, 4 assertions, 1 failures, 0 errors, 0 skips",
    "fail",
    "3/1",
  ],
  [
    "phpunit: red",
    "vendor/bin/phpunit",
    undefined,
    "There was 1 failure:\n\n1) FooTest::testBar\nFailed asserting that 1 matches expected 2.\n" +
      "\nFAILURES!\nTests: 5, Assertions: 8, Failures: 1.",
    "fail",
    "4/1",
  ],
  [
    "pest",
    "./vendor/bin/pest",
    undefined,
    "   PASS  Tests\\Unit\\ExampleTest\n  ✓ that true is true\n\n" +
      "  Tests:    1 passed (1 assertions)\n  Duration: 0.05s",
    "pass",
    "1/0",
  ],
  [
    "dotnet: build error",
    "dotnet test",
    undefined,
    "/app/A.cs(3,5): error CS1002: ; expected [/app/A.csproj]\n\nBuild FAILED.\n    0 Warning(s)\n    1 Error(s)",
    "fail",
  ],
  [
    "dotnet: new summary",
    "dotnet test",
    undefined,
    "Test summary: total: 12, failed: 1, succeeded: 11, skipped: 0, duration: 1.2s\n" +
      "Build failed with 1 error(s) in 3.0s",
    "fail",
    "11/1",
  ],
  [
    "ctest: one not run",
    "ctest",
    undefined,
    "75% tests passed, 1 tests failed out of 4\n\nTotal Test time (real) =   0.50 sec\n" +
      "\nThe following tests FAILED:\n\t  3 - net (Not Run)\nErrors while running CTest",
    "fail",
    "3/1",
  ],
  [
    "meson",
    "meson test -C build",
    undefined,
    "1/2 a   OK              0.01s\n2/2 b   FAIL            0.02s   exit status 1\n" +
      "\nOk:                 1   \nExpected Fail:      0   \nFail:               1   \n" +
      "Unexpected Pass:    0   \nSkipped:            0   \nTimeout:            0   ",
    "fail",
    "1/1",
  ],
  [
    "meson green",
    "meson test -C build",
    undefined,
    "1/1 a   OK              0.01s\n\nOk:                 1   \nExpected Fail:      0   \n" +
      "Fail:               0   \nUnexpected Pass:    0   \nSkipped:            0   \n" +
      "Timeout:            0   ",
    "pass",
    "1/0",
  ],
  [
    "bats",
    "bats tests",
    undefined,
    "1..3\nok 1 a\nnot ok 2 b\n# (in test file tests/a.bats, line 5)\nok 3 c",
    "fail",
    "2/1",
  ],
  [
    "bats pretty",
    "bats --pretty tests",
    undefined,
    " ✓ a\n ✗ b\n   (in test file tests/a.bats, line 5)\n\n2 tests, 1 failure\n",
    "fail",
    "1/1",
  ],
  [
    "prove",
    "prove -r t",
    undefined,
    "t/a.t .. ok\nt/b.t .. Failed 1/3 subtests\n\nTest Summary Report\n" +
      "-------------------\nt/b.t (Wstat: 256 Tests: 3 Failed: 1)\n" +
      "Files=2, Tests=6,  0 wallclock secs\nResult: FAIL",
    "fail",
  ],
  ["busted", "busted", undefined, "●●◼\n2 successes / 1 failure / 0 errors / 0 pending : 0.01 seconds", "fail", "2/1"],
  ["hspec", "stack test", undefined, "Finished in 0.0009 seconds\n12 examples, 0 failures", "pass", "12/0"],
  [
    "elixir: compile error",
    "mix test",
    1,
    "== Compilation error in file lib/a.ex ==\n** (SyntaxError) lib/a.ex:3: unexpected token",
    "fail",
  ],
  [
    "behave",
    "behave",
    undefined,
    "Failing scenarios:\n  features/a.feature:3  logs in\n\n1 feature passed, 1 failed, 0 skipped\n" +
      "3 scenarios passed, 1 failed, 0 skipped\n12 steps passed, 1 failed, 0 skipped, 0 undefined",
    "fail",
  ],
  [
    "a script of one's own: asserts",
    "python test_all.py",
    undefined,
    "Testing a... OK\nTesting b... OK\nAll tests passed!",
    "pass",
  ],
  [
    "a script of one's own: a check mark and a cross",
    "./run_tests.sh",
    undefined,
    "✓ a works\n✗ b works: expected 1, got 2\n\n1 of 2 checks failed",
    "fail",
  ],
  [
    "a script of one's own: a traceback",
    "./run_tests.sh",
    undefined,
    'Testing a...\nTraceback (most recent call last):\n  File "/app/t.py", line 3, in <module>\nAssertionError',
    "fail",
  ],
  ["a script of one's own: silent and green", "./run_tests.sh", 0, "", "pass"],
  ["a script of one's own: talkative and unclear", "./run_tests.sh", undefined, "setting up\nrunning\ndone", "unknown"],
];

it.each(
  OUTPUTS.map(([what, command, exitCode, output, verdict, counts]) => ({
    what,
    command,
    exitCode,
    output,
    verdict,
    counts,
  })),
)("$what", ({ command, exitCode, output, verdict, counts }) => {
  const result = { outcome: "ok" as const, output, ...(exitCode !== undefined && { exitCode }) };
  // What the command does not show to be a test run is handed over as one.
  const tests =
    interpret({ tool: "bash", input: { command } }, result).tests ??
    interpret({ tool: "run_tests", input: {} }, result).tests;
  expect(tests?.verdict).toBe(verdict);
  if (counts !== undefined) expect(`${String(tests?.passed ?? 0)}/${String(tests?.failed ?? 0)}`).toBe(counts);
});
