#!/usr/bin/env node
import { interruptSignal } from './frame/interrupt.ts';
import { runProgram } from './program.ts';
import { createTerminal } from './frame/terminal.ts';

const { env, stdin } = process;
const deps = { terminal: createTerminal(env), environment: env, input: stdin, onInterrupt: interruptSignal };
// Exits explicitly, because an open connection must not keep a finished command alive.
process.exit(await runProgram(process.argv.slice(2), deps));
