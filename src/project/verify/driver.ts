/**
 * A program in Python that runs a script once for each case, in one process: to start Python takes longer than a call.
 *
 * It is given a file with the cases, or a dash for stdin: each with the folder to work in, the script, its arguments and
 * what it is piped. It prints what each call printed and how it ended.
 */
export const DRIVER = `
import io, json, os, sys, traceback
results = []
with sys.stdin if sys.argv[1] == "-" else open(sys.argv[1], encoding="utf-8") as file:
    cases = json.load(file)
for case in cases:
    os.chdir(case["folder"])
    path = case["script"]
    sys.argv = [path, *case["args"]]
    sys.path[0] = os.path.dirname(path)
    texts = (case.get("stdin", ""), "", "")
    streams = [io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8") for text in texts]
    kept, (sys.stdin, sys.stdout, sys.stderr) = (sys.stdin, sys.stdout, sys.stderr), streams
    try:
        with open(path, encoding="utf-8") as file:
            code = compile(file.read(), path, "exec")
        exec(code, {"__name__": "__main__", "__file__": path})
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        status = 1
    for stream in streams[1:]:
        stream.flush()
    sys.stdin, sys.stdout, sys.stderr = kept
    out, err = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in streams[1:])
    results.append({"status": status, "stdout": out, "stderr": err})
print(json.dumps(results))
`;
