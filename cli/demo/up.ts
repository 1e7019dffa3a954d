import type { CommandContext } from '../frame/command-context.ts';
import type { ExitCode } from '../frame/exit-codes.ts';
import { whenAborted } from '../frame/when-aborted.ts';
import { createPaint } from '../show/paint.ts';
import type { CalledServicesPlan, CalledServices } from './installation/called-services.ts';
import { demoCampaign, demoEngineConfig } from './installation/demo-settings.ts';
import { describeTrials, type TriedCampaign } from './addresses/how-to-try.ts';
import { sandboxServices } from './installation/sandbox-services.ts';
import { shopServices } from './shop/shop-services.ts';
import { shopCampaign, shopEngineSettings } from './shop/shop-settings.ts';
import { describeConsole } from './addresses/console-address.ts';
import { describeInbox } from './addresses/inbox-address.ts';
import { withInstallation, type InstallationSize } from './installation/with-installation.ts';

/**
 * Runs servers, services and sandbox until Ctrl-C, without a campaign.
 *
 * @param segmentation base URL of a segmentation service, in place of the sandbox's
 */
export async function runUp(
  size: InstallationSize,
  segmentation: string | undefined,
  context: CommandContext,
): Promise<ExitCode> {
  const services = segmentation === undefined ? sandboxServices : sandboxWith(segmentation);
  const campaign = segmentation === undefined ? demoCampaign : undefined;
  return await keepUp(services, campaign, size, context, () => '');
}

/** Runs servers, services and a shop until Ctrl-C, without a campaign. */
export async function runShopUp(size: InstallationSize, context: CommandContext): Promise<ExitCode> {
  return await keepUp(shopServices, shopCampaign, size, context, describeInbox);
}

async function keepUp<Called extends CalledServices>(
  services: CalledServicesPlan<Called>,
  campaign: TriedCampaign | undefined,
  size: InstallationSize,
  { terminal, signal, ...context }: CommandContext,
  more: (called: Called, paint: ReturnType<typeof createPaint>) => string,
): Promise<ExitCode> {
  const paint = createPaint(terminal.colours.notes);
  const terms = { title: 'Muster', size, services };
  return await withInstallation(terms, { terminal, signal, ...context }, async (installation, _processes, called) => {
    const places = `${await describeConsole(installation, paint)}${more(called, paint)}`;
    terminal.note(`\n${places}${describeTrials(installation, campaign, paint)}`);
    return await whenAborted(signal);
  });
}

function sandboxWith(segmentation: string): CalledServicesPlan<CalledServices> {
  return {
    open: async (terms) => {
      const opened = await sandboxServices.open(terms);
      return { ...opened, environment: { ...opened.environment, ...shopEngineSettings } };
    },
    engineConfig: (url, users) => {
      const config = demoEngineConfig(url, users);
      return { ...config, segmentation: { ...config.segmentation, url: segmentation } };
    },
  };
}
