import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { segmentDescription, userPage } from '../../shared/contracts/endpoints/segmentation.ts';
import type { Evidence } from '../support/evidence.ts';
import type { MusterApi } from './muster-api.ts';

export interface Witnesses {
  api: MusterApi;
  segmentationUrl: string;
  ledgerFile: string;
}

/** Collects the evidence of the witnesses about a run that has ended. */
export async function gatherEvidence(
  { api, segmentationUrl, ledgerFile }: Witnesses,
  runId: string,
  segment: string,
): Promise<Evidence> {
  const [report, failures, ledger] = await Promise.all([
    api.report(runId),
    api.failures(runId),
    readLedger(ledgerFile),
  ]);
  const audience = new Map<string, string[]>();
  for (const { country } of report.countries) {
    audience.set(country, await pageSegment(segmentationUrl, segment, country));
  }
  const steps = report.steps.map(({ step }) => ledger.of(runId, step));
  return {
    audience,
    runState: report.state,
    lines: new Map(report.countries.map(({ country, steps: lines }) => [country, lines])),
    effects: steps.map(({ appliedUnderKeys }) => appliedUnderKeys),
    failures: failures.map(({ userId: user, ...failure }) => ({ user, ...failure })),
    appliedAgain: steps.map(({ keys }) => [...keys.values()].filter(({ isAppliedAgain }) => isAppliedAgain).length),
    overlapping: steps.map(({ overlapping }) => overlapping),
  };
}

/** All users of a segment in a country, as the segmentation service itself serves them. */
export async function pageSegment(baseUrl: string, segment: string, country: string): Promise<string[]> {
  const url = new URL(`${baseUrl}/v1/segments/${encodeURIComponent(segment)}`);
  url.searchParams.set('country', country);
  const description: unknown = await (await fetch(url)).json();
  const { snapshot } = segmentDescription.parse(description);
  const users: string[] = [];
  for (let after: string | null = null; ;) {
    const query = new URLSearchParams({ country, snapshot, limit: '5000', ...(after === null ? {} : { after }) });
    const page = userPage.parse(await (await fetch(`${url.origin}${url.pathname}/users?${query.toString()}`)).json());
    users.push(...page.users);
    if (page.next === null) return users;
    after = page.next;
  }
}
