import type { RunReport } from '../../../../shared/contracts/runs/runs.ts';
import type { ReportLink, SharedReport } from '../../../../shared/contracts/runs/shared-reports.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { ReportLinkRecord } from './postgres/report-links.ts';

export function reportLinkView({ linkId, createdBy, createdAt, expiresAt, state }: ReportLinkRecord): ReportLink {
  return {
    id: publicId('reportLink', linkId),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    createdBy: publicId('apiKey', createdBy),
    state,
  };
}

/**
 * Returns the public part of a report. It lists the fields explicitly, so that new fields of reports do not become
 * public by default.
 */
export function sharedReportView(report: RunReport, expiresAt: Date): SharedReport {
  const { campaignName, kind, state, scheduledFor, startedAt, endedAt, asOf, audience, steps, countries, balanced } =
    report;
  return {
    campaignName,
    kind,
    state,
    scheduledFor,
    startedAt,
    endedAt,
    asOf,
    audience,
    steps,
    countries,
    balanced,
    failures: report.failures.map(({ step, country, outcome, reason, users }) => {
      return { step, country, outcome, reason, users };
    }),
    linkExpiresAt: expiresAt.toISOString(),
  };
}
