import type { RunEvent, RunProgress } from '#client/types.gen.ts';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { effectiveState } from '../../parts/standing/state-looks.ts';
import { requesterOf } from '../../parts/run-events/run-events.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { RunControls, type ControlDialog } from './run-controls.tsx';
import { RunFacts } from './run-facts.tsx';
import { StallTag } from './stall-tag.tsx';

interface RunHeadProps {
  progress: RunProgress;
  events: readonly RunEvent[];
  tag: string | null;
  isStale: boolean;
  refusal: string | undefined;
  onOpen: (dialog: ControlDialog) => void;
}

export function RunHead({ progress, events, tag, isStale, refusal, onOpen }: RunHeadProps) {
  return (
    <div className="head">
      <div className="min-w-0">
        <div className="row flex-wrap">
          <h1>{plainText(progress.campaignName)}</h1>
          <StateBadge state={effectiveState(progress)} tinted />
          <StallTag text={tag} />
        </div>
        <RunFacts progress={progress} by={requesterOf(events)} />
      </div>
      <RunControls progress={progress} isStale={isStale} refusal={refusal} onOpen={onOpen} />
    </div>
  );
}
