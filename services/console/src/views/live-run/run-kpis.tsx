import type { RunProgress } from '#client/types.gen.ts';
import { Kpis } from '../../parts/panels/kpis.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { failedUsers, type CountryReason } from '../../parts/failures/failure-reasons.ts';
import { computeKpis } from './figures/compute-kpis.ts';

interface RunKpisProps {
  progress: RunProgress;
  /** Reasons as shown in the panel of reasons, so that both show the same numbers. Undefined until they are loaded. */
  failures: readonly CountryReason[] | undefined;
  isOld: boolean;
}

export function RunKpis({ progress, failures = [], isOld }: RunKpisProps) {
  return <Kpis kpis={computeKpis(progress, useFormatTime(), failedUsers(progress.steps, failures))} isOld={isOld} />;
}
