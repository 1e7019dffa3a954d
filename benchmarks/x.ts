import { startEngine, type Variant } from './engine-under-test.ts';
import { startStub } from './stub/stub.ts';
import { databaseSettings, warmDatabase } from './warm-database.ts';
import { startLocalInfrastructure } from '../shared/infrastructure/local.ts';
import { startCpuMeter } from './cpu.ts';
const infrastructure = await startLocalInfrastructure({ environment: process.env, report: console.error, postgresSettings: databaseSettings });
const stub = await startStub();
const variants: Variant[] = (process.env['LAT'] ?? '0').split(',').map((l) => ({ form: 'full', latencyMs: Number(l), inFlight: 100 }));
const batches = Number(process.env['BATCHES'] ?? 20000);
const rounds = Number(process.env['ROUNDS'] ?? 3);
const engine = await startEngine({ infrastructure, stub, variants });
try {
  await warmDatabase(infrastructure.databaseUrl);
  for (const v of variants) { await engine.runCampaign(2_000_000, v);
    for (let i = 0; i < rounds; i++) {
      const read = startCpuMeter({ ...engine.processes, endpoints: () => [stub.pid] });
      const s = await engine.runCampaign(batches * 100, v);
      const cpu = Object.entries(read()).map(([n, m]) => `${n} ${(m / batches).toFixed(0)}`).join(' ');
      console.log(`${v.latencyMs} ms: ${(batches / s).toFixed(0)}/s ${cpu}`);
    }
  }
} finally { await engine.stop(); await stub.stop(); await infrastructure.stop(); }
