import { Command, CommanderError } from 'commander';
import packageFacts from '../package.json' with { type: 'json' };
import { registerActionTypes } from './action-types/register.ts';
import { registerApiKey } from './installation/register-api-key.ts';
import { registerAudience } from './audiences/register.ts';
import { registerAudit } from './audit/register.ts';
import { registerCampaign } from './campaigns/register.ts';
import { registerCheckEndpoint } from './check-endpoint/register.ts';
import { registerClients } from './clients/register.ts';
import { registerConfig } from './installation/register-config.ts';
import { registerConsole } from './console/register.ts';
import { registerDeadJobs } from './jobs/register-dead.ts';
import { registerDeadLetters } from './trouble/register-dead-letters.ts';
import { registerDemo } from './demo/register.ts';
import { registerDoctor } from './installation/register-doctor.ts';
import { registerExplain } from './runs/register-explain.ts';
import { registerInstallation } from './installation/register.ts';
import { registerQuarantinedSteps } from './trouble/register-quarantined.ts';
import { registerJobs } from './jobs/register.ts';
import { registerShards } from './shards/register.ts';
import { registerRun } from './runs/register.ts';
import { registerGroups, registerSchedules } from './schedules/register.ts';
import { registerScheduler } from './scheduler/register.ts';
import { registerServe } from './installation/register-serve.ts';
import { exitCodes, type ExitCode } from './frame/exit-codes.ts';
import { createSession, type SessionDeps } from './frame/session.ts';

/** Runs one command line, without the names of node and script, and returns the exit code. Never throws. */
export async function runProgram(args: readonly string[], deps: SessionDeps): Promise<ExitCode> {
  const session = createSession(deps);
  const { terminal } = deps;
  const program = new Command('muster')
    .description('Batch campaigns on Kafka and Postgres: who, what and when for millions of users.')
    .version(packageFacts.version, '-V, --version')
    .option('--json', 'data as JSON')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.note(text) })
    .showHelpAfterError('(--help shows what there is)');
  const register = [
    registerDemo,
    registerServe,
    registerInstallation,
    registerConfig,
    registerCampaign,
    registerActionTypes,
    registerShards,
    registerClients,
    registerJobs,
    registerExplain,
    registerAudience,
    registerRun,
    registerSchedules,
    registerGroups,
    registerDeadLetters,
    registerScheduler,
    registerDeadJobs,
    registerQuarantinedSteps,
    registerAudit,
    registerApiKey,
    registerConsole,
    registerCheckEndpoint,
    registerDoctor,
  ];
  for (const add of register) add(program, session);

  try {
    await program.parseAsync([...args], { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander has already said what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    terminal.note(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.failure;
  }
}
