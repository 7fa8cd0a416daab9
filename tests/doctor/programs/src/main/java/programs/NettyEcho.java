// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A server that sends back what it receives, and its client. Arguments: seconds, messages per
 * second.
 */
final class NettyEcho {

    private NettyEcho() {}

    /** Sends back. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Reads the answer. */
    private static final class Answer extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf answer) {
            byte[] bytes = new byte[answer.readableBytes()];
            answer.readBytes(bytes);
            Garbage.sink = bytes;
        }
    }

    public static void main(String... args) throws InterruptedException {
        EventLoopGroup loops = new NioEventLoopGroup(2);
        Channel server =
                new ServerBootstrap()
                        .group(loops)
                        .channel(NioServerSocketChannel.class)
                        .childHandler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        channel.pipeline().addLast(new Echo());
                                    }
                                })
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .sync()
                        .channel();
        Channel client =
                new Bootstrap()
                        .group(loops)
                        .channel(NioSocketChannel.class)
                        .handler(
                                new ChannelInitializer<SocketChannel>() {
                                    @Override
                                    protected void initChannel(SocketChannel channel) {
                                        channel.pipeline().addLast(new Answer());
                                    }
                                })
                        .connect(server.localAddress())
                        .sync()
                        .channel();
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number ->
                                client.writeAndFlush(
                                        Unpooled.wrappedBuffer(Garbage.text(2_000).getBytes())));
        client.close().sync();
        server.close().sync();
        loops.shutdownGracefully().sync();
    }
}
