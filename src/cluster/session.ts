import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { Credentials } from './credentials.ts';

/** One connection, and who we are on it. */
export interface Session {
  readonly credentials: Credentials;
  readonly dispatcher: Dispatcher;
}

export interface Sessions {
  current(): Promise<Session>;
  /** The session after one that was refused: credentials are read again once, however many requests found out at the same time. */
  after(refused: Session): Promise<Session>;
  close(): Promise<void>;
}

/** @param read how to get credentials: called at once, and again for each session that is refused */
export async function sessions(read: () => Promise<Credentials>): Promise<Sessions> {
  let session = read().then(open);
  await session;
  return {
    current: () => session,
    async after(refused) {
      const current = session;
      if ((await current) !== refused || session !== current) return session;
      session = read().then((credentials) => {
        // Its open requests are still answered.
        void refused.dispatcher.close();
        return open(credentials);
      });
      session.catch(() => {
        session = current;
      });
      return session;
    },
    close: async () => (await session).dispatcher.destroy(),
  };
}

function open(credentials: Credentials): Session {
  const { tls, proxy } = credentials;
  const shared = { allowH2: true, connections: 1 };
  const dispatcher = proxy
    ? new ProxyAgent({ ...shared, uri: proxy, requestTls: { ...tls } })
    : new Agent({ ...shared, connect: { ...tls } });
  return { credentials, dispatcher };
}
