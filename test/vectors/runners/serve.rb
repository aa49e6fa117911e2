require "socket"

# Rack's servers are gems; this speaks as much HTTP as one Rack application needs.
def run(app)
  server = TCPServer.new("127.0.0.1", ENV.fetch("PORT"))
  loop do
    client = server.accept
    client.gets
    env = {}
    while (line = client.gets.chomp) != ""
      name, value = line.split(": ", 2)
      env["HTTP_#{name.upcase.tr("-", "_")}"] = value
    end
    rest = env["HTTP_CONTENT_LENGTH"].to_i.clamp(0..)
    env["rack.input"] = Object.new.tap { |input| input.define_singleton_method(:read) { |most| client.read([most, rest].min) } }
    status, = app.call(env)
    client.write("HTTP/1.1 #{status} Answer\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    client.close
  end
end

load File.join(__dir__, "config.ru")
