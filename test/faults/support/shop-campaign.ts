import { rm } from 'node:fs/promises';
import { startInstallation, type Installation } from '../../e2e/installation.ts';
import type { FaultControl } from '../../mutations/fault-controls.ts';
import { createConnectorsProcess, type ConnectorsProcess } from '../../support/connectors-process.ts';
import type { Evidence } from '../../support/evidence.ts';
import { createEmptyTestDatabase } from '../../support/postgres-database.ts';
import { startBalancer } from './balancer.ts';
import { connectorsFileOf, engineConfigOf } from './shop-files.ts';
import { startMailbox, startMilesApi } from './shop-ledgers.ts';
import { createShop } from './shop.ts';
import { createTrap, type Strike, type Struck } from './strikes.ts';
import { treeWithout } from './tree-without.ts';
import { until } from './until.ts';
import { openTestPool } from '../../support/test-pool.ts';

const countries = ['SG', 'VN'];
const instances = [1, 2];

/**
 * A campaign that uses only connectors: customers by SQL, points by SQL, an API that is called for each user, and
 * e-mail. Two processes of the connectors serve it behind a load balancer.
 */
export interface ShopCampaign {
  readonly muster: Installation;
  begin(): Promise<string>;
  /** Carries out a strike. Then restarts a killed process, or continues a frozen one once its claim has expired. */
  strike(strike: Strike, runId: string): Promise<Struck>;
  /** Times that the API was called, by user. */
  readonly requests: ReadonlyMap<string, number>;
  evidence(runId: string): Promise<Evidence>;
  close(): Promise<void>;
}

export interface ShopCampaignOptions {
  customers: number;
  /** Requests of each process to the API at once. */
  concurrency: number;
  /** Time that the API takes for a request. */
  latencyMs: number;
  /** In negative controls, the connectors run without this protection. */
  without?: FaultControl | undefined;
}

export async function prepareShopCampaign(options: ShopCampaignOptions): Promise<ShopCampaign> {
  const closers: (() => unknown)[] = [];
  const closing = <Opened>(opened: Opened, close: (opened: Opened) => unknown): Opened => {
    closers.push(() => close(opened));
    return opened;
  };
  const close = async () => {
    for (const each of closers.splice(0).toReversed()) await each();
  };
  try {
    return { ...(await prepare(options, closing)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Closing = <Opened>(opened: Opened, close: (opened: Opened) => unknown) => Opened;

async function prepare(
  { customers, concurrency, latencyMs, without }: ShopCampaignOptions,
  closing: Closing,
): Promise<Omit<ShopCampaign, 'close'>> {
  const processes = new Map<number, ConnectorsProcess>();
  const mails = new Map<string, number>();
  const trap = createTrap((instance, signal) => processes.get(instance)?.signal(signal));

  const shop = closing(await createShop(customers), (opened) => opened.close());
  const store = closing(await createEmptyTestDatabase(), (opened) => opened.drop());
  const rows = closing(openTestPool({ connectionString: store.url, max: 1 }), (opened) => opened.end());
  const api = closing(await startMilesApi({ latencyMs, trap }), (opened) => opened.close());
  const balancer = closing(await startBalancer(), (opened) => opened.close());
  const muster = closing(
    await startInstallation({
      workers: 1,
      sandbox: {},
      countries,
      configure: (config) => engineConfigOf(config, balancer.url),
    }),
    (opened) => opened.stop(),
  );
  const tree = without && closing(await treeWithout(without), (folder) => rm(folder, { recursive: true }));

  for (const instance of instances) {
    const mailbox = closing(await startMailbox(instance, { mails, trap }), (opened) => opened.close());
    const connectors = await createConnectorsProcess({
      storeUrl: store.url,
      file: connectorsFileOf(api.url, concurrency),
      root: tree,
      environment: {
        SHOP_URL: shop.urlFor(instance),
        SHOP_INSTANCE: String(instance),
        SHOP_SMTP_URL: mailbox.url,
        SHOP_MAIL_SECRET: 'a secret for links of thirty-two characters',
        CONNECTORS_API_URL: muster.cliEnvironment['MUSTER_API_URL'] ?? '',
        CONNECTORS_API_KEY: muster.cliEnvironment['MUSTER_API_KEY'] ?? '',
      },
    });
    processes.set(
      instance,
      closing(connectors, (opened) => opened.close()),
    );
    await connectors.start();
    await balancer.add({ name: `connectors-${instance}`, ...connectors });
  }
  const processOf = (instance: number): ConnectorsProcess => {
    const found = processes.get(instance);
    if (!found) throw new Error(`there is no process ${instance}`);
    return found;
  };

  async function strikeCommit({ instance, after }: Strike, runId: string): Promise<Struck> {
    await until(`${after} credits`, async () => (await shop.credits(runId)).size >= after);
    const goOn = await shop.holdNextCommit(instance);
    processOf(instance).signal('SIGKILL');
    await goOn();
    return { instance, user: undefined };
  }

  async function isLeaseOver(user: string): Promise<boolean> {
    const { rowCount } = await rows.query(
      `select from connectors.results where user_id = $1 and state = 'begun' and lease_until < clock_timestamp()`,
      [user],
    );
    return (rowCount ?? 0) > 0;
  }

  return {
    muster,
    requests: api.requests,
    begin: () =>
      muster.api.run({
        name: 'Shop',
        countries,
        segment: 'customers',
        chain: [
          { action: 'award-points', params: { points: 5 } },
          { action: 'grant-miles', params: {} },
          { action: 'send-news', params: { offer: '5 %' } },
        ],
      }),
    strike: async (strike, runId) => {
      const struck = strike.place === 'commit' ? await strikeCommit(strike, runId) : await trap.spring(strike);
      const { user = '', instance } = struck;
      const connectors = processOf(instance);
      if (strike.how === 'killed') {
        await connectors.exited();
        await connectors.start();
      } else {
        await until(`the claim of ${user} has expired`, () => isLeaseOver(user));
        connectors.signal('SIGCONT');
      }
      return struck;
    },
    evidence: async (runId) => {
      const [report, failures, audience, credits] = await Promise.all([
        muster.api.report(runId),
        muster.api.failures(runId),
        shop.audience(),
        shop.credits(runId),
      ]);
      return {
        audience,
        runState: report.state,
        lines: new Map(report.countries.map(({ country, steps }) => [country, steps])),
        effects: [credits, api.effects(), mails],
        failures: failures.map(({ userId: user, ...failure }) => ({ user, ...failure })),
      };
    },
  };
}
