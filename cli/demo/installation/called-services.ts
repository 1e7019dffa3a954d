import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { DemoRoom } from './demo-room.ts';
import type { Stages } from './stages.ts';

/** Ports of the process of the called services, and its access to Muster. */
export interface CalledPlace {
  port: number;
  healthPort: number;
  /** Base URL of `port`. */
  url: string;
  apiUrl: string;
  /** Key of an operator. */
  apiKey: string;
}

export interface CalledProcess {
  service: 'sandbox' | 'connectors';
  /** Variables beside those of all services. */
  environment: Readonly<Record<string, string>>;
  /** URL that answers 2xx when the process is ready. */
  readyUrl: string;
}

/** The services that Muster calls in a demo, ready to be started. */
export interface CalledServices {
  /** Variables of all processes. */
  environment: Readonly<Record<string, string>>;
  process(place: CalledPlace): CalledProcess;
  close(): Promise<void>;
}

export interface OpenTerms {
  users: number;
  room: DemoRoom;
  /** Folder for files, which is removed at the end. */
  folder: string;
  stages: Stages;
}

export interface CalledServicesPlan<Opened extends CalledServices> {
  engineConfig(url: string, users: number): EngineConfig;
  /** Creates what the services need. Removes what it created if it rejects. */
  open(terms: OpenTerms): Promise<Opened>;
}
