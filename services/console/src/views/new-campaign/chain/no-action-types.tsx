import { Empty } from '../../../parts/standing/states.tsx';

export function NoActionTypes() {
  return (
    <Empty icon="types" title="No action types yet" command="muster action-types create">
      An action type describes how an endpoint is called and what it guarantees. Register one, and campaigns can use it
      immediately.
    </Empty>
  );
}
