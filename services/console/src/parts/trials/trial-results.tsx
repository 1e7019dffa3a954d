import type { ReactNode } from 'react';
import { DryRunResult } from './dry-run-result.tsx';
import { TestResult } from './test-result.tsx';
import { useFollowedReport, useNewestReport, useNewestTest } from './use-newest-report.ts';

interface TrialResultsProps {
  campaignId: string;
  /** Revision that is shown beside the results. */
  revision: number;
  /** Class of the text that replaces a missing result. */
  missing: 'c-warn' | 't2';
  /** Buttons beside the headings. */
  actions?: { dryRun: ReactNode; test: ReactNode };
}

/** Results of a campaign's newest dry run and newest test. */
export function TrialResults({ campaignId, revision, missing, actions }: TrialResultsProps) {
  const dryRun = useNewestReport(campaignId, 'dry-run');
  const test = useNewestTest(campaignId);
  return (
    <div className="grid gap-3">
      <Result name="Dry run" action={actions?.dryRun}>
        {dryRun.report && <DryRunResult report={dryRun.report} isOld={dryRun.report.revision !== revision} />}
        {dryRun.isKnown && !dryRun.newest && <p className={missing}>None: no dry run has covered all users yet.</p>}
      </Result>
      <Result name="Test send" action={actions?.test}>
        {test.runs.map(({ runId }) => (
          <TestRun key={runId} runId={runId} revision={revision} />
        ))}
        {test.isKnown && test.runs.length === 0 && <p className={missing}>None: no user has received a test.</p>}
      </Result>
    </div>
  );
}

/** Result of one run of a test. A test of a campaign with variants has a run for each. */
function TestRun({ runId, revision }: { runId: string; revision: number }) {
  const report = useFollowedReport(runId);
  return report && <TestResult report={report} isOld={report.revision !== revision} />;
}

function Result({ name, action, children }: { name: string; action: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={name}>
      <div className="row mb-1">
        <h3 className="text-sm font-medium t2">{name}</h3>
        {action !== undefined && <div className="ml-auto">{action}</div>}
      </div>
      <div className="grid gap-3">{children}</div>
    </section>
  );
}
