import { getRouteApi } from '@tanstack/react-router';
import type { QuarantinedStep } from '../../api/generated/types.gen.ts';
import { countOf, formatCount } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { SkeletonRows } from '../../parts/skeleton.tsx';
import { Empty, Failed } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { StepPanel } from './step-panel.tsx';
import styles from './dead-letters.module.css';

const route = getRouteApi('/dead-letters');

interface StepsProps {
  /** Undefined while they are asked for. */
  steps: readonly QuarantinedStep[] | undefined;
  error: unknown;
  onRetry: () => void;
}

/** Steps that nobody calls for any more, and one of them on the right. */
export function Steps({ steps, error, onRetry }: StepsProps) {
  const { id } = route.useSearch();
  const navigate = route.useNavigate();
  if (steps === undefined && error !== null) {
    return <Failed title="The quarantined steps could not be read" error={error} onRetry={onRetry} />;
  }
  if (steps?.length === 0 && id === undefined) {
    return (
      <section className="panel">
        <Empty icon="sideline" title="No step is quarantined" command="muster quarantined-steps list">
          A batch whose calls end their workers again and again is set aside here, so that it cannot stop the others.
        </Empty>
      </section>
    );
  }
  const shown = id ?? steps?.[0]?.id;
  const users = steps?.reduce((sum, step) => sum + step.users, 0) ?? 0;
  return (
    <div className={styles['layout']}>
      <Panel
        title="Quarantined steps"
        note={steps && `${countOf(steps.length, 'batch', 'batches')}, ${countOf(users, 'user')} unknown by them`}
        footer="Their users are unknown: nobody can say whether they were served."
      >
        <table>
          <caption className="vh">Quarantined steps, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col" className="r">
                Users
              </th>
              <th scope="col" className="r wide">
                Since
              </th>
            </tr>
          </thead>
          <tbody>
            {steps?.map((step) => (
              <tr key={step.id} className={step.id === shown ? 'tall sel' : 'tall'}>
                <td className="two">
                  <div>
                    <button
                      type="button"
                      className={styles['choose']}
                      aria-pressed={step.id === shown}
                      onClick={() => void navigate({ search: { show: 'steps', id: step.id }, replace: true })}
                    >
                      {step.action} {step.country}, batch {formatCount(step.batchNo)}
                    </button>
                  </div>
                  <div>
                    step {step.step}, {countOf(step.lapses, 'lapsed lease')}
                  </div>
                </td>
                <td className="r">{formatCount(step.users)}</td>
                <td className="r nw wide">
                  <Time instant={step.since} />
                </td>
              </tr>
            )) ?? <SkeletonRows rows={4} columns={[220, 40, 90]} tall />}
          </tbody>
        </table>
      </Panel>
      {shown !== undefined && <StepPanel key={shown} id={shown} />}
    </div>
  );
}
