import type { RunReport } from '../../sdk/generated/types.gen.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import type { CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { whenAborted } from '../frame/when-aborted.ts';
import { createPaint } from '../show/paint.ts';
import { createHavoc } from './campaign/chaos.ts';
import type { DemoOptions } from './demo.ts';
import { showCampaign } from './campaign/show-campaign.ts';
import { describeServices } from './addresses/service-addresses.ts';
import { describeConsole } from './addresses/console-address.ts';
import { withInstallation } from './installation/with-installation.ts';
import { checkBalance, renderEqualities, type Equality } from './shop/check-balance.ts';
import { readShop } from './shop/shop-database.ts';
import { shopServices, type Shop } from './shop/shop-services.ts';
import { shopCampaign } from './shop/shop-settings.ts';
import { describeInbox } from './addresses/inbox-address.ts';

/** Runs a campaign over a shop's database and compares its report with the shop's tables and the inbox. */
export async function runShopDemo(options: DemoOptions, context: CommandContext): Promise<ExitCode> {
  const terms = { title: 'Muster demo', size: options, services: shopServices };
  return await withInstallation(terms, context, async (installation, processes, shop) => {
    const { terminal, signal } = context;
    const paint = createPaint(terminal.colours.notes);
    terminal.note(`\n${await describeConsole(installation, paint)}${describeInbox(shop, paint)}`);
    const havoc = createHavoc({
      clock: systemClock,
      names: options.chaos ? installation.workerNames : [],
      kill: (name) => processes.kill(name),
      areReady: () => processes.areReady(),
    });
    const { report, retryableUsers, code } = await showCampaign(installation, context, shopCampaign, havoc);
    if (report === undefined || signal.aborted) return code;
    const equalities = await compare(report, shop);
    terminal.note(renderEqualities(equalities, paint));
    if (equalities.some(({ holds }) => !holds)) return exitCodes.failure;
    if (options.exit) return code;
    terminal.note(describeServices(installation, { runId: report.runId, retryableUsers }, paint));
    terminal.note(`${await describeConsole(installation, paint)}${describeInbox(shop, paint)}`);
    await whenAborted(signal);
    return code;
  });
}

async function compare(report: RunReport, { databaseUrl, inbox: { mails } }: Shop): Promise<Equality[]> {
  const recipients = new Set(mails.find('').map(({ recipient }) => recipient)).size;
  return checkBalance(report, await readShop(databaseUrl, report.runId), { mails: mails.count, recipients });
}
