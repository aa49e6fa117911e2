# Serves the controller with Rails and WEBrick.
require "rails"
require "action_controller/railtie"
require "rack/handler/webrick"
require_relative "verify"

def store(event)
  File.write("stored", "#{JSON.generate(event)}\n", mode: "a")
end

class App < Rails::Application
  config.load_defaults Rails::VERSION::STRING.to_f
  config.eager_load = false
  config.secret_key_base = "test"
  config.hosts.clear
  config.logger = Logger.new($stdout)
end

require_relative "app/controllers/webhooks_controller"
App.initialize!
App.routes.draw { post "/webhooks", to: "webhooks#create" }
$stdout.puts "Rails #{Rails::VERSION::STRING}, Rack #{Rack.release}"
Rack::Handler::WEBrick.run(App, Host: "127.0.0.1", Port: ENV.fetch("PORT").to_i)
