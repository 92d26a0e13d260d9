// The one door to @kubernetes/client-node, and a small one: loaded lazily, it pulls in the kubeconfig reader and nothing of the generated API.
export { KubeConfig } from '@kubernetes/client-node/dist/config.js';
