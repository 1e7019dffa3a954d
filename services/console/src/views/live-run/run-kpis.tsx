import type { RunProgress } from '#client/types.gen.ts';
import { Kpis } from '../../parts/panels/kpis.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { kpisOf } from './kpis-of-run.ts';

interface RunKpisProps {
  progress: RunProgress;
  /** The numbers are of another time than now. */
  isOld: boolean;
}

export function RunKpis({ progress, isOld }: RunKpisProps) {
  return <Kpis kpis={kpisOf(progress, useFormatTime())} isOld={isOld} />;
}
