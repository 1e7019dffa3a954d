import type { ReactNode } from 'react';
import type { Approval } from '#client/types.gen.ts';
import { DryRunResult } from '../../parts/campaign/dry-run-result.tsx';
import { TestResult } from '../../parts/campaign/test-result.tsx';
import { useNewestReport } from '../../parts/campaign/use-newest-report.ts';
import { Panel } from '../../parts/panels/panel.tsx';

export function Trials({ approval: { campaignId, revision } }: { approval: Approval }) {
  const dryRun = useNewestReport(campaignId, 'dry-run');
  const test = useNewestReport(campaignId, 'test');
  return (
    <Panel title="Tried before" padded>
      <div className="grid gap-3">
        <Trial
          name="Dry run"
          missing={dryRun.isKnown && !dryRun.newest ? 'None: nobody has tried it on all users.' : null}
        >
          {dryRun.report && <DryRunResult report={dryRun.report} isOld={dryRun.report.revision !== revision} />}
        </Trial>
        <Trial name="Test send" missing={test.isKnown && !test.newest ? 'None: no user has received a test.' : null}>
          {test.report && <TestResult report={test.report} isOld={test.report.revision !== revision} />}
        </Trial>
      </div>
    </Panel>
  );
}

function Trial({ name, missing, children }: { name: string; missing: string | null; children: ReactNode }) {
  return (
    <section aria-label={name}>
      <h3 className="text-sm font-medium t2 mb-1">{name}</h3>
      {missing === null ? children : <p className="c-warn">{missing}</p>}
    </section>
  );
}
