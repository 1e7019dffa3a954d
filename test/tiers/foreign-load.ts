import { spawn } from 'node:child_process';

/** Ends by itself if its parent is gone, however that ended, and even if it was gone before the loop began. */
const burner = `const parent = Number(process.argv[1]);
for (;;) {
  for (let round = 0; round < 50_000_000; round++);
  if (process.ppid !== parent) process.exit();
}`;

/** Starts processes that each keep one core busy, as other work on the machine would, and returns what ends them. */
export function startForeignLoad(processes: number): () => void {
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, ['-e', burner, String(process.pid)], { stdio: 'ignore' }),
  );
  const end = () => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.on('exit', end);
  return end;
}
