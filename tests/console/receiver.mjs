// A target for jobs: answers as the path says, so that some jobs fail as real ones do.
import http from 'node:http'

const answers = {
  '/ok': [200, 'text/plain', 'done'],
  '/busy': [503, 'application/json', '{"error":"database is starting up","retry_after":60}'],
  '/gone': [404, 'text/html', '<h1>Not here</h1><script>alert(1)</script>'],
  '/secret': [401, 'application/json', '{"error":"invalid_token"}'],
}
http.createServer((request, response) => {
  request.resume()
  const [status, type, body] = answers[new URL(request.url, 'http://x').pathname] ?? answers['/ok']
  response.writeHead(status, { 'content-type': type }).end(body)
}).listen(Number(process.argv[2]), '127.0.0.1')
